import { digits } from './stats.mjs'
import { casesOf } from './workloads.mjs'

/** @typedef {import('./results.mjs').CaseFigures} CaseFigures */

/**
 * @typedef {{ results: import('./results.mjs').Results, peers: readonly string[] }} Measured
 * @typedef {{ head: string, cell: (peer: string) => string }} Column
 */

const TITLES = {
  W1: 'W1, the loop: so many steps with one tool call each',
  W2: 'W2, 100 tools of 1 ms in one step',
  W3: 'W3, one streamed answer',
  W4: 'W4, 20 steps on top of earlier messages',
}

/**
 * The results of one workload as a Markdown table, the cheapest peer first.
 *
 * @param {string} workload
 * @param {Measured & { where: string }} measured
 * @returns {string}
 */
export function tableOf(workload, { where, results, peers }) {
  const cases = casesOf(workload)
  const last = cases.at(-1)?.id ?? workload
  const cost = (/** @type {string} */ peer) => results.of(last, peer)?.cpuMs ?? Number.POSITIVE_INFINITY
  const columns = cases.flatMap((point) => costColumns(point, { results, peers }))
  if (columns.length === 0) return ''
  columns.push(...(MORE[cases[0]?.workload ?? ''] ?? []).map((column) => column(results, last)))
  const rows = peers
    .filter((peer) => Number.isFinite(cost(peer)))
    .sort((a, b) => cost(a) - cost(b))
    .map((peer) => row([peer, ...columns.map(({ cell }) => cell(peer))]))
  const title = TITLES[/** @type {keyof typeof TITLES} */ (workload)] ?? workload
  return [
    `**${title}** (${where})\n`,
    row(['peer', ...columns.map(({ head }) => head)]),
    `|---|${'---:|'.repeat(columns.length)}`,
    ...rows,
    '',
  ].join('\n')
}

/** Cost and its ratio to `bare`. @param {import('./workloads.mjs').Case} point @param {Measured} measured @returns {Column[]} */
function costColumns({ id, iterations, deltas }, { results }) {
  const [units, unit] = deltas === undefined ? [iterations ?? 1, 'step'] : [deltas, 'delta']
  const name = id.slice(id.indexOf('/') + 1)
  const floor = results.of(id, 'bare')?.cpuMs
  return [
    {
      head: `${name}: CPU µs/${unit}`,
      cell: (peer) => digits(((results.of(id, peer)?.cpuMs ?? Number.NaN) * 1000) / units),
    },
    { head: '× bare', cell: (peer) => digits((results.of(id, peer)?.cpuMs ?? Number.NaN) / (floor ?? Number.NaN)) },
  ]
}

/** @typedef {(results: import('./results.mjs').Results, id: string) => Column} ColumnOf */

/** @param {string} head @param {(figures: CaseFigures) => number} read @returns {ColumnOf} */
const column = (head, read) => (results, id) => ({
  head,
  cell: (peer) => {
    const figures = results.of(id, peer)
    return digits(figures && read(figures))
  },
})

const wall = column('best wall ms', ({ leastMs }) => leastMs)

/** What else a workload tells, of its last case. @type {Record<string, ColumnOf[]>} */
const MORE = {
  W1: [column('growth late/early', ({ growth }) => growth)],
  W2: [wall, column('tools at once', ({ atOnce }) => atOnce)],
  W3: [wall],
  W4: [column('best time to the first request ms', ({ firstAskMs }) => firstAskMs), wall],
}

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |`
