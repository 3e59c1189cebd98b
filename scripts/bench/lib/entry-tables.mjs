import { COLD_CASES } from './cold-runs.mjs'
import { digits } from './stats.mjs'

/** @typedef {import('./entry-bundles.mjs').Weight} Weight */

/** W6 as a table, the smallest first; what has React is compared with the floor that has. @param {ReadonlyMap<string, Weight>} weights */
export function weightTable(weights) {
  const kb = (/** @type {number} */ bytes) => digits(bytes / 1000)
  const lines = [...weights]
    .sort(([, a], [, b]) => a.gzip - b.gzip)
    .map(([name, { minified, gzip, brotli, lazy }]) => {
      const floor = weights.get(name.startsWith('react-') ? 'react-bare' : 'bare')?.gzip ?? Number.NaN
      return `| ${name} | ${[kb(gzip), digits(gzip / floor), kb(minified), kb(brotli), kb(lazy)].join(' | ')} |`
    })
  return [
    '**W6, the smallest agent with one tool** (KB; React itself is in none of them)\n',
    '| entry | gzip | × bare | minified | brotli | loaded later, gzip |',
    `|---|${'---:|'.repeat(5)}`,
    ...lines,
  ].join('\n')
}

/** W7 as tables, the cheapest first. @param {import('./samples.mjs').Samples} samples @param {readonly string[]} peers */
export const coldTables = (samples, peers) => COLD_CASES.map((run) => coldTable(run, samples, peers)).join('\n\n')

/** @param {(typeof COLD_CASES)[number]} run @param {import('./samples.mjs').Samples} samples @param {readonly string[]} peers */
function coldTable({ id, slowed, hint }, samples, peers) {
  const of = (/** @type {string} */ peer, /** @type {string} */ name) => samples.of(id, peer, name)
  const how = [slowed > 1 ? `CPU slowed ${slowed} times` : '', hint ? 'every file with the compile hint' : '']
  const lines = peers
    .filter((peer) => Number.isFinite(of(peer, 'cpuMs')))
    .sort((a, b) => of(a, 'cpuMs') - of(b, 'cpuMs'))
    .map((peer) => {
      const times = ['cpuMs', 'importMs', 'turnMs', 'ms'].map((name) => digits(of(peer, name)))
      return `| ${peer} | ${digits(of(peer, 'cpuMs') / of('bare', 'cpuMs'))} | ${times.join(' | ')} |`
    })
  return [
    `**${['W7, cold start', ...how.filter(Boolean)].join(', ')}**\n`,
    '| peer | × bare | CPU ms | import ms | first turn ms | both ms |',
    `|---|${'---:|'.repeat(5)}`,
    ...lines,
  ].join('\n')
}
