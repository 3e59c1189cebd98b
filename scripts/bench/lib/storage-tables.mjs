import { digits } from './stats.mjs'

/** @typedef {import('./storage-runs.mjs').StorageFigures} StorageFigures */

const APPENDS = {
  bare: 'a message and its checkpoint: two records in a transaction, by hand',
  checkpoint: 'the same by the store, with its fence and the head',
  parts: 'the same reads and writes, by hand',
  session: 'one message, by a session',
  record: 'the whole thread again, as one record',
  json: 'the whole thread again, as JSON',
}

const LOADS = {
  first: 'a session, until its last messages can be painted',
  whole: 'a session, until all of it is known',
  record: 'the whole thread, from one record',
  json: 'the whole thread, from JSON',
}

/** The figures as Markdown. @param {StorageFigures} figures */
export function storageTables({ appends, loads }) {
  return [...(appends ? appendTable(appends) : []), ...(loads ? loadTable(loads) : [])].join('\n')
}

/** @param {NonNullable<StorageFigures['appends']>} appends */
function appendTable(appends) {
  const [small = '', large = ''] = Object.keys(appends)
  const of = (/** @type {string} */ size, /** @type {string} */ way, /** @type {string} */ figure) =>
    appends[size]?.of('S1', way, figure) ?? Number.NaN
  const rows = Object.entries(APPENDS).map(([way, words]) => {
    const ratios = [small, large].map((size) => of(size, way, 'cpuMs') / of(size, 'bare', 'cpuMs'))
    const growth = of(large, way, 'cpuMs') / of(small, way, 'cpuMs')
    const onClock = [small, large].map((size) => of(size, way, 'ms') / of(size, 'bare', 'ms'))
    return `| ${words} | ${[...ratios, growth, ...onClock].map(digits).join(' | ')} |`
  })
  const [cpu, clock] = [of(small, 'bare', 'cpuMs'), of(small, 'bare', 'ms')].map(digits)
  return [
    `**S1, adding to a session** (× the first row, which takes ${cpu} ms of the main thread's CPU, ${clock} ms on the clock)\n`,
    `| | CPU at ${small} messages | at ${large} | ${large} against ${small} | clock at ${small} | at ${large} |`,
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
    '',
  ]
}

/** @param {Record<string, number>} loads */
function loadTable(loads) {
  const first = loads.first ?? Number.NaN
  return [
    `**S2, opening 10,000 messages** (× the first row, which takes ${digits(first)} ms)\n`,
    '| | × |',
    '|---|--:|',
    ...Object.entries(LOADS).map(([way, words]) => `| ${words} | ${digits((loads[way] ?? Number.NaN) / first)} |`),
    '',
  ]
}
