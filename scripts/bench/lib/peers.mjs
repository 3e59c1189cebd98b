import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bench } from './places.mjs'

/**
 * Every peer there is in a folder, the floor and Turnloop first. A new one is one more file in it.
 *
 * @param {'peers' | 'react/peers' | 'entries'} folder
 * @returns {string[]}
 */
export function peerNames(folder) {
  const files = readdirSync(join(bench, folder)).filter((file) => file !== 'script.mjs')
  const names = files.map((file) => file.replace(/\.\w+$/, ''))
  const rank = (/** @type {string} */ name) => (name === 'bare' ? 0 : name.startsWith('turnloop') ? 1 : 2)
  return names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/**
 * The order of a round: A B C, then B C A, and so on, so that none always runs after the same neighbour.
 *
 * @param {readonly string[]} peers @param {number} round
 */
export const inTurns = (peers, round) =>
  peers.map((_, index) => /** @type {string} */ (peers[(index + round) % peers.length]))
