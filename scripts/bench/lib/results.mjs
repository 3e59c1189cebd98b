import { median } from './stats.mjs'

/**
 * @typedef {object} CaseFigures What one process or page found for one case.
 * @property {string} id
 * @property {number} cpuMs Main-thread CPU time of one turn.
 * @property {number} leastMs The best wall time.
 * @property {number} firstAskMs From the start of the turn to the first request to the model, at best.
 * @property {number} growth Gap between requests, last 20 over first 20.
 * @property {number} atOnce Most tools at work at the same time.
 */

/** The figures of all rounds, by case and peer. */
export class Results {
  /** @type {Map<string, CaseFigures[]>} */
  #rounds = new Map()

  /** @param {string} peer @param {readonly CaseFigures[]} cases */
  add(peer, cases) {
    for (const figures of cases) {
      const key = `${figures.id} ${peer}`
      this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), figures])
    }
  }

  /**
   * Medians over the rounds; of wall times the best, which the neighbours of a busy machine cannot have made.
   *
   * @param {string} id @param {string} peer
   * @returns {CaseFigures | undefined} Undefined where the peer has no figures for the case.
   */
  of(id, peer) {
    const rounds = this.#rounds.get(`${id} ${peer}`)
    if (rounds === undefined) return undefined
    const middle = (/** @type {'cpuMs' | 'growth' | 'atOnce'} */ field) =>
      // A growth that is not defined arrives as null from another process.
      median(rounds.map((round) => round[field] ?? Number.NaN))
    return {
      id,
      cpuMs: middle('cpuMs'),
      leastMs: Math.min(...rounds.map(({ leastMs }) => leastMs)),
      firstAskMs: Math.min(...rounds.map(({ firstAskMs }) => firstAskMs)),
      growth: middle('growth'),
      atOnce: middle('atOnce'),
    }
  }
}
