import { chunk } from '../lib/script.mjs'

const worker = new Worker('/delta-worker.mjs', { type: 'module' })

/** When each delta left the worker, on this page's clock. @type {number[]} */
export const sentAt = []

/**
 * The pieces of one answer, each in a task of its own, as a network would bring them: from a worker, by messages.
 *
 * @param {{ deltas: number, paceMs: number }} options
 * @returns {AsyncGenerator<string>}
 */
export async function* incomingDeltas({ deltas, paceMs }) {
  /** @type {string[]} */
  const queue = []
  let arrived = 0
  let wake = () => {}
  sentAt.length = 0
  worker.onmessage = ({ data }) => {
    sentAt.push(data - performance.timeOrigin)
    queue.push(chunk(arrived++))
    wake()
  }
  worker.postMessage({ deltas, paceMs })
  for (let index = 0; index < deltas; index++) {
    while (queue.length === 0) {
      await new Promise((resolve) => {
        wake = () => resolve(undefined)
      })
    }
    yield queue.shift() ?? ''
  }
}
