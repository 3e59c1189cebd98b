import { digits } from './stats.mjs'

/** @typedef {import('./storage-runs.mjs').StorageFigures} StorageFigures */

const APPENDS = {
  bare: 'one record in a transaction, by hand',
  reply: 'a reply and the head, by the store',
  checkpoint: 'a reply with its checkpoint, and the head',
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

/** @param {Record<string, Record<string, number>>} appends */
function appendTable(appends) {
  const [small = '', large = ''] = Object.keys(appends)
  const floor = appends[small]?.bare ?? Number.NaN
  const at = (/** @type {string} */ size, /** @type {string} */ way) => appends[size]?.[way] ?? Number.NaN
  const rows = Object.entries(APPENDS).map(([way, words]) => {
    const cells = [at(small, way) / floor, at(large, way) / at(large, 'bare'), at(large, way) / at(small, way)]
    return `| ${words} | ${cells.map(digits).join(' | ')} |`
  })
  return [
    `**S1, adding one message** (× one bare record of the same size; a bare one takes ${digits(floor)} ms)\n`,
    `| | at ${small} messages | at ${large} messages | ${large} against ${small} |`,
    '|---|--:|--:|--:|',
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
