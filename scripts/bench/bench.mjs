import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { repository } from '../report.mjs'
import { measureColdStarts } from './lib/cold-runs.mjs'
import { bundleEntries } from './lib/entry-bundles.mjs'
import { coldTables, weightTable } from './lib/entry-tables.mjs'
import { writeFigures } from './lib/guide.mjs'
import { installPeers } from './lib/install.mjs'
import { measureInNode } from './lib/node-runs.mjs'
import { peerNames } from './lib/peers.mjs'
import { measureReact } from './lib/react-runs.mjs'
import { reactTables } from './lib/react-tables.mjs'
import { roundTripTable } from './lib/round-trips.mjs'
import { measureStorage } from './lib/storage-runs.mjs'
import { storageTables } from './lib/storage-tables.mjs'
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

const LOOP = [...new Set(CASES.map(({ workload }) => workload))]

/** Those of a browser. */
const OTHERS = ['W5', 'W6', 'W7', 'T1', 'S1', 'S2']

/** Peers by what they are measured in; not every one is in all of it. */
const PEERS = { loop: peerNames('peers'), react: peerNames('react/peers'), start: peerNames('entries') }

/** @param {string | undefined} given @param {readonly string[]} all @param {(name: string) => boolean} isKnown */
function chosen(given, all, isKnown) {
  const names = given?.split(',') ?? all
  const unknown = names.find((name) => !isKnown(name))
  if (unknown !== undefined) throw new Error(`There is no "${unknown}". There are ${all.join(', ')}.`)
  return names
}

const everyPeer = [...new Set(Object.values(PEERS).flat())]
const named = chosen(values.peers, everyPeer, (name) => everyPeer.includes(name))
const workloads = chosen(
  values.workloads,
  [...LOOP, ...OTHERS],
  (name) => OTHERS.includes(name) || casesOf(name).length > 0,
)

const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))

/** Those that were asked for. @param {keyof typeof PEERS} kind */
const peersOf = (kind) => PEERS[kind].filter((peer) => named.includes(peer))

/** Print, and put whole runs into the guide too. @type {(name: Parameters<typeof writeFigures>[0], parts: readonly string[], tables: string) => void} */
function tell(name, parts, tables) {
  console.log(`${tables}\n`)
  const isWhole = !values.quick && values.peers === undefined && parts.every((part) => workloads.includes(part))
  if (isWhole) writeFigures(name, tables, name === 'loop' ? `Node ${process.version}, ${rounds} rounds` : 'Chromium')
}

async function main() {
  const loop = workloads.filter((name) => !OTHERS.includes(name))
  if (workloads.some((name) => name.startsWith('W'))) installPeers()
  const machine = `${cpus().length} × ${cpus()[0]?.model}`
  console.log(`Node ${process.version}, ${machine}, ${rounds} rounds, CPU by ${cpuSource}\n`)
  if (!values['web-only']) await measureLoop('Node', loop)
  if (values['node-only']) return
  ensureBrowser()
  await measureLoop('Chromium', loop)
  await measurePages()
  if (workloads.includes('T1')) console.log(await roundTripTable())
  await measureSessions(workloads.filter((name) => name.startsWith('S')))
}

/** W1 to W4. @param {'Node' | 'Chromium'} where @param {readonly string[]} names */
async function measureLoop(where, names) {
  if (names.length === 0) return
  const options = { peers: peersOf('loop'), workloads: names, rounds, budgetMs: values.quick ? 1500 : 6000 }
  const results = await (where === 'Node' ? measureInNode(options) : measureInChromium(options))
  const tables = names.map((workload) => tableOf(workload, { where, results, peers: options.peers })).join('\n')
  if (where === 'Node') tell('loop', LOOP, tables)
  else console.log(tables)
}

/** W5 to W7. */
async function measurePages() {
  if (workloads.includes('W5')) {
    const peers = peersOf('react')
    tell('react', ['W5'], reactTables(await measureReact({ peers, rounds }), peers))
  }
  if (!workloads.includes('W6') && !workloads.includes('W7')) return
  const { folder, weights } = await bundleEntries(peersOf('start'))
  const peers = [...weights.keys()].filter((name) => !name.startsWith('react-'))
  const cold = workloads.includes('W7') ? await measureColdStarts({ folder, peers, rounds: rounds * 3 }) : undefined
  tell('start', ['W6', 'W7'], [weightTable(weights), ...(cold ? [coldTables(cold, peers)] : [])].join('\n\n'))
}

/** S1 and S2. @param {readonly string[]} names */
async function measureSessions(names) {
  if (names.length === 0) return
  const figures = await measureStorage({ workloads: names, rounds: values.quick ? 2 : 7 })
  tell('storage', ['S1', 'S2'], storageTables(figures))
}

function ensureBrowser() {
  const command = ['scripts/ensure-browser.mjs']
  const { status } = spawnSync(process.execPath, command, { cwd: repository, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('There is no browser to measure in: use --node-only, or set CHROME_PATH.')
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
