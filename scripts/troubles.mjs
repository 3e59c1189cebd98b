import { stripVTControlCharacters } from 'node:util'

/**
 * A test that did not pass at once.
 *
 * @typedef {object} Trouble
 * @property {'FAILED' | 'FLAKY'} kind `FLAKY`: it passed when it was tried again.
 * @property {string} name Its file and its title, or the file alone where that could not be loaded.
 * @property {string} error What went wrong, without the stack; of a long text the beginning.
 */

/** More would push each other out of the end of a log. */
const MOST_TOLD = 20
const MOST_LINES = 12
const MOST_OF_LINE = 300

/**
 * @param {Trouble['kind']} kind
 * @param {string} name
 * @param {{ message?: string, name?: string } | undefined} error
 * @returns {Trouble}
 */
export function trouble(kind, name, error) {
  const lines = stripVTControlCharacters(error?.message ?? '')
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stack = lines.findIndex((line) => /^\s+at /.test(line))
  const told = lines
    .slice(0, stack === -1 ? MOST_LINES : Math.min(stack, MOST_LINES))
    .map((line) => line.slice(0, MOST_OF_LINE))
  return { kind, name, error: told.join('\n') || 'without a message' }
}

/**
 * Troubles as text, what has failed last, where it is seen first.
 *
 * @param {readonly Trouble[]} troubles
 * @returns {string} A line for each with what went wrong under it, at most 20 of a kind. Empty if there is none.
 */
export function troublesText(troubles) {
  return ['FLAKY', 'FAILED'].flatMap((kind) => kindText(troubles.filter((one) => one.kind === kind))).join('\n')
}

/** @param {readonly Trouble[]} troubles @returns {string[]} */
function kindText(troubles) {
  const told = troubles
    .slice(0, MOST_TOLD)
    .map(({ kind, name, error }) => `${kind.padEnd(6)}  ${name}\n${error.replaceAll(/^/gm, '        ')}`)
  const more = troubles.length - told.length
  return more > 0 ? [...told, `        and ${more} more`] : told
}

/** @param {string} file @param {readonly string[]} titles */
export function nameOf(file, titles) {
  return [file, ...titles].join(' › ')
}
