import { Probe } from './probe.mjs'
import { median } from './stats.mjs'

/**
 * @typedef {object} PeerOptions
 * @property {import('./script.mjs').ScriptStep[]} steps What the model says, one step for each time it is asked.
 * @property {number} history Earlier messages.
 * @property {number} toolMs
 * @property {Probe} probe
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {readonly string[]} [only] Workloads, if not all.
 * @property {(options: PeerOptions) => (() => Promise<unknown>) | Promise<() => Promise<unknown>>} prepare
 *   Sets up what an app sets up once, which is not timed, and returns the turn, which is. The turn returns what its caller
 *   would hold on to.
 *
 * @typedef {{ ms: number, firstAskMs: number, earlyMs: number, lateMs: number, events: number, prompt: number, atOnce: number }}
 *   TurnFigures
 */

/**
 * Get one turn of a peer ready.
 *
 * @param {Peer} peer
 * @param {import('./workloads.mjs').Case} point
 * @returns {Promise<() => Promise<TurnFigures>>} Plays it; rejects if the peer did not do all of the work.
 */
export async function prepareTurn(peer, point) {
  const probe = new Probe()
  const run = await peer.prepare({ steps: point.steps(), history: point.history, toolMs: point.toolMs, probe })
  return async () => {
    const startedAt = performance.now()
    await run()
    const ms = performance.now() - startedAt
    checkWork(`${peer.name} ${point.id}`, probe, point)
    return figuresOf(probe, startedAt, ms)
  }
}

/** @param {string} where @param {Probe} probe @param {import('./workloads.mjs').Case} point */
function checkWork(where, probe, { expect, history }) {
  const did = { toolRuns: probe.toolRuns, modelCalls: probe.askedAt.length, text: probe.text }
  if (did.toolRuns !== expect.toolRuns || did.modelCalls !== expect.modelCalls || did.text !== expect.text) {
    throw new Error(`${where}: did ${JSON.stringify(did)} instead of ${JSON.stringify(expect)}`)
  }
  const [least = 0] = probe.prompts
  if (least <= history)
    throw new Error(`${where}: the first request had ${least} messages, after ${history} earlier ones`)
}

/** @param {Probe} probe @param {number} startedAt @param {number} ms @returns {TurnFigures} */
function figuresOf(probe, startedAt, ms) {
  const gaps = probe.askedAt.slice(1).map((at, index) => at - (probe.askedAt[index] ?? at))
  return {
    ms,
    firstAskMs: (probe.askedAt[0] ?? Number.NaN) - startedAt,
    earlyMs: median(gaps.slice(0, 20)),
    lateMs: median(gaps.slice(-20)),
    events: probe.events,
    prompt: probe.prompts.at(-1) ?? 0,
    atOnce: probe.mostRunning,
  }
}
