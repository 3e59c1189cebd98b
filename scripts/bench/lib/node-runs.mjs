import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from './bundle.mjs'
import { inTurns } from './peers.mjs'
import { bench } from './places.mjs'
import { Results } from './results.mjs'

const run = promisify(execFile)

/**
 * Measure peers in Node, each workload of each peer in a process of its own, peers taking turns.
 *
 * @param {{ peers: readonly string[], workloads: readonly string[], rounds: number, budgetMs: number }} options
 * @returns {Promise<Results>} A peer that fails is reported on stderr and left out.
 */
export async function measureInNode({ peers, workloads, rounds, budgetMs }) {
  const folder = await bundle(Object.fromEntries(peers.map((peer) => [peer, `peers/${peer}.mjs`])), 'node')
  const results = new Results()
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      for (const peer of inTurns(peers, round)) {
        const command = ['--expose-gc', join(bench, 'one.mjs'), join(folder, `${peer}.mjs`), workload, `${budgetMs}`]
        try {
          const env = { ...process.env, NODE_ENV: 'production' }
          const { stdout } = await run(process.execPath, command, { env, timeout: 180_000 })
          results.add(peer, JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]'))
        } catch (error) {
          console.error(`${peer} ${workload}: ${String(error).slice(0, 400)}`)
        }
      }
    }
    console.error(`Node: round ${round + 1} of ${rounds} done`)
  }
  return results
}
