import { spawn } from 'node:child_process'
import { repository } from './report.mjs'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly string[]} command Node's arguments: a script and what it is given.
 */

/**
 * @typedef {object} StepResult
 * @property {string} name
 * @property {boolean} ok
 * @property {number} seconds
 * @property {string} output Empty if it was streamed.
 */

/**
 * Run one step in a process of its own.
 *
 * @param {Step} step
 * @param {{ stream?: boolean, env?: Record<string, string> }} options `stream`: let its output through as it comes.
 * @returns {Promise<StepResult>} Never rejects.
 */
export function runStep({ name, command }, { stream = false, env = {} } = {}) {
  const started = performance.now()
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const child = spawn(process.execPath, command, {
    cwd: repository,
    env: { ...process.env, ...colour, ...env },
    stdio: ['ignore', stream ? 'inherit' : 'pipe', stream ? 'inherit' : 'pipe'],
  })
  let output = ''
  const collect = (/** @type {Buffer} */ chunk) => {
    output += chunk
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return new Promise((resolve) => {
    const end = (/** @type {boolean} */ ok) =>
      resolve({ name, ok, seconds: (performance.now() - started) / 1000, output })
    child.on('error', (error) => {
      output += String(error)
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}

/**
 * Run steps, at most `width` at once, each started in the order given.
 *
 * @param {readonly Step[]} steps
 * @param {number} width
 * @returns {Promise<StepResult[]>} In the order given.
 */
export async function runSteps(steps, width) {
  /** @type {StepResult[]} */
  const results = []
  const waiting = steps.entries()
  const work = async () => {
    for (const [index, step] of waiting) results[index] = await runStep(step)
  }
  await Promise.all(Array.from({ length: width }, work))
  return results
}

/** @param {readonly StepResult[]} results @returns {string} A table, one line per step. */
export function tableOf(results) {
  return results
    .map(({ name, ok, seconds }) => `${ok ? 'ok    ' : 'FAILED'}  ${seconds.toFixed(1).padStart(6)} s  ${name}`)
    .join('\n')
}
