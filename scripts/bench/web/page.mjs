import { median } from '../lib/stats.mjs'
import { prepareTurn } from '../lib/turn.mjs'
import { casesOf } from '../lib/workloads.mjs'

/**
 * The page's side of a measurement: turns of one peer are made ready, then played in one go, so that the time of making
 * them ready can be left out.
 *
 * @param {import('../lib/turn.mjs').Peer} peer
 */
export function createBench(peer) {
  /** @type {(() => Promise<import('../lib/turn.mjs').TurnFigures>)[]} */
  let ready = []
  return {
    /** Play turns until the code is compiled; resolves with how many fit into `budgetMs`. */
    async warm(/** @type {string} */ id, /** @type {number} */ budgetMs) {
      const [point] = casesOf(id)
      if (point === undefined) throw new Error(`there is no case ${id}`)
      const started = performance.now()
      const spent = () => performance.now() - started
      let turns = 0
      while (turns === 0 || ((turns < point.warm || spent() < 400) && spent() < budgetMs)) {
        const run = await prepareTurn(peer, point)
        await run()
        turns++
      }
      return Math.max(1, Math.min(point.turns, Math.floor((budgetMs * turns) / spent())))
    },
    async prepare(/** @type {string} */ id, /** @type {number} */ turns) {
      ready = []
      for (const point of casesOf(id)) {
        while (ready.length < turns) ready.push(await prepareTurn(peer, point))
      }
      globalThis.gc?.()
    },
    async play() {
      const turns = []
      for (const run of ready) turns.push(await run())
      ready = []
      return {
        leastMs: Math.min(...turns.map(({ ms }) => ms)),
        firstAskMs: Math.min(...turns.map(({ firstAskMs }) => firstAskMs)),
        growth: median(turns.map(({ lateMs }) => lateMs)) / median(turns.map(({ earlyMs }) => earlyMs)),
        atOnce: turns[0]?.atOnce ?? 0,
      }
    },
  }
}
