import { fanoutScript, loopScript, streamScript, textLength } from './script.mjs'

/**
 * @typedef {object} Case One point of a workload.
 * @property {string} id
 * @property {string} workload
 * @property {() => import('./script.mjs').ScriptStep[]} steps
 * @property {number} [iterations] Tool batches in a turn.
 * @property {number} [deltas]
 * @property {number} history Earlier messages.
 * @property {number} toolMs
 * @property {number} warm Turns before the timed ones.
 * @property {number} turns Timed turns in one process.
 * @property {{ toolRuns: number, modelCalls: number, text: number }} expect What a turn must have done.
 */

/** @type {readonly Case[]} */
export const CASES = [
  ...[1, 10, 100, 199].map((iterations) => ({
    id: `W1/K=${iterations}`,
    workload: 'W1',
    steps: () => loopScript(iterations),
    iterations,
    history: 0,
    toolMs: 0,
    warm: iterations < 10 ? 20 : iterations < 100 ? 8 : 2,
    turns: iterations < 10 ? 50 : iterations < 100 ? 20 : 6,
    expect: { toolRuns: iterations, modelCalls: iterations + 1, text: textLength(4) },
  })),
  {
    id: 'W2/100x1ms',
    workload: 'W2',
    steps: () => fanoutScript(100),
    iterations: 1,
    history: 0,
    toolMs: 1,
    warm: 4,
    turns: 15,
    expect: { toolRuns: 100, modelCalls: 2, text: textLength(4) },
  },
  ...[10_000, 100_000].map((deltas) => ({
    id: `W3/${deltas}`,
    workload: 'W3',
    steps: () => streamScript(deltas),
    deltas,
    history: 0,
    toolMs: 0,
    warm: 1,
    turns: deltas > 50_000 ? 2 : 4,
    expect: { toolRuns: 0, modelCalls: 1, text: textLength(deltas) },
  })),
  ...[0, 10_000].map((history) => ({
    id: `W4/history=${history}`,
    workload: 'W4',
    steps: () => loopScript(20),
    iterations: 20,
    history,
    toolMs: 0,
    warm: 3,
    turns: 7,
    expect: { toolRuns: 20, modelCalls: 21, text: textLength(4) },
  })),
]

/** The cases that a workload's name or a case's id stands for. @param {string} name @returns {readonly Case[]} */
export const casesOf = (name) => CASES.filter(({ id, workload }) => id === name || workload === name)
