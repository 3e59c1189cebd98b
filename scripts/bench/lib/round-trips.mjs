import { measureRoundTrips } from '../../../packages/worker/bench/round-trip.mjs'
import { digits } from './stats.mjs'

/**
 * What a call of a worker tool costs beside a raw `postMessage`, as a Markdown table.
 *
 * @returns {Promise<string>}
 */
export async function roundTripTable() {
  const measured = Object.entries(await measureRoundTrips())
  const rows = measured.map(
    ([name, { p50, p95 }]) => `| ${name} | ${digits(p50)} | ${p95 === null ? '' : digits(p95)} |`,
  )
  return [
    '**T1, there and back between page and worker** (Chromium)\n',
    '| call | p50 µs | p95 µs |',
    '|---|---:|---:|',
    ...rows,
    '',
  ].join('\n')
}
