import { median } from './stats.mjs'

/** What was measured, round by round: figures by name, for each peer and case. */
export class Samples {
  /** @type {Map<string, Record<string, number>[]>} */
  #rounds = new Map()

  /** @param {string} id @param {string} peer @param {Record<string, number>} figures */
  add(id, peer, figures) {
    const key = `${id} ${peer}`
    this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), figures])
  }

  /** The median of one figure; NaN where there is none. @param {string} id @param {string} peer @param {string} name */
  of(id, peer, name) {
    return median((this.#rounds.get(`${id} ${peer}`) ?? []).map((figures) => figures[name] ?? Number.NaN))
  }
}
