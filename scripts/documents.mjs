import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The programs in a Markdown text: each `ts` or `tsx` block is one, and a block marked `continues` goes on with the one
 * before it. A block marked `nocheck` is left out.
 *
 * @param {string} markdown
 * @returns {string[]} Every program on the lines where it stands in the text, the other lines empty.
 */
export function programsIn(markdown) {
  /** @type {string[][]} */
  const programs = []
  /** @type {string[] | undefined} */
  let current
  markdown.split('\n').forEach((line, index) => {
    const fence = /^\s*```(.*)$/.exec(line)?.[1]?.trim()
    if (fence === undefined) {
      if (current !== undefined) current[index] = line
    } else if (current !== undefined || !/^tsx?\b(?!.*\bnocheck\b)/.test(fence)) {
      current = undefined
    } else {
      current = (/\bcontinues\b/.test(fence) && programs.at(-1)) || []
      if (current !== programs.at(-1)) programs.push(current)
    }
  })
  return programs.map((lines) => Array.from(lines, (line) => line ?? '').join('\n'))
}

/**
 * The Markdown documents whose snippets and links are checked.
 *
 * @param {string} root
 * @returns {string[]} Paths from the top.
 */
export function documentsOf(root) {
  const inFolder = (/** @type {string} */ folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : []
  const packages = inFolder('packages').map((folder) => `${folder}/README.md`)
  return ['README.md', 'CONTRIBUTING.md', ...inFolder('docs'), ...packages].filter(
    (path) => path.endsWith('.md') && existsSync(join(root, path)),
  )
}

/**
 * The relative links of a Markdown text, without their anchors.
 *
 * @param {string} markdown
 * @returns {{ target: string, line: number }[]}
 */
export function linksIn(markdown) {
  return markdown.split('\n').flatMap((text, index) =>
    Array.from(text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g), ([, target = '']) => ({
      target,
      line: index + 1,
    })).filter(({ target }) => !/^[a-z]+:/.test(target)),
  )
}
