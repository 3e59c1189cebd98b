import { REACT_CASES } from './react-runs.mjs'
import { digits } from './stats.mjs'

/**
 * The tables of W5, the cheapest peer first.
 *
 * @param {import('./samples.mjs').Samples} samples
 * @param {readonly string[]} peers
 */
export const reactTables = (samples, peers) => REACT_CASES.map((point) => tableOf(point, samples, peers)).join('\n\n')

/** @param {(typeof REACT_CASES)[number]} point @param {import('./samples.mjs').Samples} samples @param {readonly string[]} peers */
function tableOf({ id, deltas, paceMs, rows }, samples, peers) {
  const of = (/** @type {string} */ peer, /** @type {string} */ name) => samples.of(id, peer, name)
  const floor = of('bare', 'cpuMs')
  const lines = peers
    .filter((peer) => Number.isFinite(of(peer, 'cpuMs')))
    .sort((a, b) => of(a, 'cpuMs') - of(b, 'cpuMs'))
    .map((peer) => {
      const cells = [
        digits(of(peer, 'cpuMs') / floor),
        digits(of(peer, 'cpuMs')),
        digits(of(peer, 'updates')),
        digits(samples.of(`${id} profiled`, peer, 'commits')),
        digits(of(peer, 'rows')),
        digits(of(peer, 'frames')),
        `${digits(of(peer, 'delayP50'))} / ${digits(of(peer, 'delayP95'))}`,
        digits(of(peer, 'dropped')),
        digits(of(peer, 'longestMs')),
      ]
      return `| ${peer} | ${cells.join(' | ')} |`
    })
  const pace = paceMs === 0 ? 'all at once' : `one every ${paceMs} ms`
  return [
    `**W5, ${id}: ${digits(deltas)} deltas, ${pace}, ${rows === 'memo' ? 'memoised' : 'plain'} rows**\n`,
    '| peer | × bare | CPU ms | DOM updates | commits | row renders | frames | delay p50 / p95 ms | dropped frames | longest task ms |',
    `|---|${'---:|'.repeat(9)}`,
    ...lines,
  ].join('\n')
}
