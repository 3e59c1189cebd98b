import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { repository } from '../report.mjs'
import { installPeers } from './lib/install.mjs'
import { measureInNode } from './lib/node-runs.mjs'
import { peerNames } from './lib/peers.mjs'
import { ROUND_TRIPS, roundTripTable } from './lib/round-trips.mjs'
import { measureStorage } from './lib/storage-runs.mjs'
import { storageTables, writeTables } from './lib/storage-tables.mjs'
import { tableOf } from './lib/tables.mjs'
import { cpuSource } from './lib/thread-cpu.mjs'
import { measureInChromium } from './lib/web-runs.mjs'
import { CASES, casesOf } from './lib/workloads.mjs'

// npm run bench -- [--peers=bare,turnloop] [--workloads=W1,W3/10000] [--rounds=3] [--node-only | --web-only] [--quick]

const { values } = parseArgs({
  options: {
    peers: { type: 'string' },
    workloads: { type: 'string' },
    rounds: { type: 'string' },
    'node-only': { type: 'boolean' },
    'web-only': { type: 'boolean' },
    quick: { type: 'boolean' },
  },
})

/** @param {string | undefined} given @param {readonly string[]} all @param {(name: string) => boolean} isKnown */
function chosen(given, all, isKnown) {
  const names = given?.split(',') ?? all
  const unknown = names.find((name) => !isKnown(name))
  if (unknown !== undefined) throw new Error(`There is no "${unknown}". There are ${all.join(', ')}.`)
  return names
}

const allPeers = peerNames()
const workloadNames = [...new Set(CASES.map(({ workload }) => workload)), ROUND_TRIPS]

/** What is measured of sessions in IndexedDB: in Chromium only, and beside no peers. */
const STORAGE = ['S1', 'S2']

async function main() {
  const workloads = chosen(
    values.workloads,
    [...workloadNames, ...STORAGE],
    (name) => name === ROUND_TRIPS || STORAGE.includes(name) || casesOf(name).length > 0,
  )
  const options = {
    peers: chosen(values.peers, allPeers, (name) => allPeers.includes(name)),
    workloads: workloads.filter((name) => name !== ROUND_TRIPS && !STORAGE.includes(name)),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
    budgetMs: values.quick ? 1500 : 6000,
  }
  const hasPeers = options.workloads.length > 0
  const print = (/** @type {string} */ where, /** @type {import('./lib/results.mjs').Results} */ results) => {
    for (const workload of options.workloads) console.log(tableOf(workload, { where, results, peers: options.peers }))
  }
  if (hasPeers) installPeers()
  const machine = `${cpus().length} × ${cpus()[0]?.model}`
  console.log(`Node ${process.version}, ${machine}, ${options.rounds} rounds, CPU by ${cpuSource}\n`)
  if (!values['web-only'] && hasPeers) print('Node', await measureInNode(options))
  if (values['node-only']) return
  ensureBrowser()
  if (hasPeers) print('Chromium', await measureInChromium(options))
  if (workloads.includes(ROUND_TRIPS)) console.log(await roundTripTable())
  await measureSessions(workloads.filter((name) => STORAGE.includes(name)))
}

function ensureBrowser() {
  const command = ['scripts/ensure-browser.mjs']
  const { status } = spawnSync(process.execPath, command, { cwd: repository, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('There is no browser to measure in: use --node-only, or set CHROME_PATH.')
}

/** The tables of a whole run stand in the guide too. @param {readonly string[]} workloads */
async function measureSessions(workloads) {
  if (workloads.length === 0) return
  const tables = storageTables(await measureStorage({ workloads, rounds: values.quick ? 20 : 60 }))
  console.log(tables)
  if (!values.quick && workloads.length === STORAGE.length) writeTables(tables)
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
