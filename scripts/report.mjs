import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The top of the repository, with a slash at its end. */
export const repository = fileURLToPath(new URL('../', import.meta.url))

/**
 * Whether a module is the one that Node was started with, rather than imported by another.
 *
 * @param {string} moduleUrl The module's `import.meta.url`.
 */
export function isMain(moduleUrl) {
  const started = process.argv[1]
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl)
}

/**
 * Print what a check found and set the exit code: 1 if there is any problem.
 *
 * @param {string} fine What to say when there is none.
 * @param {readonly string[]} problems One line each, `path:line what, and how to mend it`.
 */
export function report(fine, problems) {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) console.error(`${problems.length} problem${problems.length === 1 ? '' : 's'}`)
  else console.log(fine)
  process.exitCode = problems.length > 0 ? 1 : 0
}
