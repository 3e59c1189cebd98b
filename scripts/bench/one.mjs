import { pathToFileURL } from 'node:url'
import { median } from './lib/stats.mjs'
import { threadCpuMs } from './lib/thread-cpu.mjs'
import { prepareTurn } from './lib/turn.mjs'
import { casesOf } from './lib/workloads.mjs'

// One peer, one workload, in this process: node --expose-gc one.mjs BUNDLE WORKLOAD [BUDGET_MS]
// Prints one line of JSON. With --cpu-prof it is the way to see where the time goes.

const [bundle = '', workload = '', budget = '6000'] = process.argv.slice(2)
const budgetMs = Number(budget)
/** @type {{ default: import('./lib/turn.mjs').Peer }} */
const { default: peer } = await import(pathToFileURL(bundle).href)

/** One timed turn. A collection comes first, so that no turn pays for the garbage of another. */
async function play(/** @type {import('./lib/workloads.mjs').Case} */ point, { collect = true } = {}) {
  const run = await prepareTurn(peer, point)
  if (collect) globalThis.gc?.()
  const before = threadCpuMs()
  const figures = await run()
  return { ...figures, cpuMs: threadCpuMs() - before }
}

/** @param {import('./lib/workloads.mjs').Case} point */
async function measure(point) {
  const started = performance.now()
  const spent = () => performance.now() - started
  // At least `warm` turns and 0.4 s, so that a small peer is compiled as far as a big one; at most half of the budget.
  for (let turn = 0; turn === 0 || ((turn < point.warm || spent() < 400) && spent() < budgetMs / 2); turn++) {
    await play(point, { collect: false })
  }
  const turns = []
  while (turns.length < point.turns && (turns.length === 0 || spent() < budgetMs)) turns.push(await play(point))
  return {
    id: point.id,
    cpuMs: median(turns.map((turn) => turn.cpuMs)),
    leastMs: Math.min(...turns.map((turn) => turn.ms)),
    firstAskMs: Math.min(...turns.map((turn) => turn.firstAskMs)),
    growth: median(turns.map((turn) => turn.lateMs)) / median(turns.map((turn) => turn.earlyMs)),
    atOnce: turns[0]?.atOnce ?? 0,
    events: turns[0]?.events ?? 0,
  }
}

const cases = []
for (const point of casesOf(workload)) cases.push(await measure(point))
console.log(JSON.stringify(cases))
process.exit(0)
