import { workerTools } from '@turnloop/worker'

const CALLS = 1000
const { signal } = new AbortController()
const context = {
  signal,
  callId: '1',
  idempotencyKey: '1',
  turnId: '1',
  messages: [],
  state: {},
  metadata: {},
  progress() {},
}

/** A table of a thousand rows, some 50 KB as JSON. */
const table = { rows: Array.from({ length: 1000 }, (_, id) => ({ id, city: 'Beijing', sold: id * 7 })) }

/** @param {() => Promise<unknown>} once @returns {Promise<{ p50: number, p95: number }>} Microseconds. */
async function time(once) {
  for (let n = 0; n < 200; n += 1) await once()
  const times = []
  for (let n = 0; n < CALLS; n += 1) {
    const before = performance.now()
    await once()
    times.push((performance.now() - before) * 1000)
  }
  times.sort((a, b) => a - b)
  return { p50: times[CALLS * 0.5], p95: times[CALLS * 0.95] }
}

/** @param {Worker} worker @returns {(input: unknown) => Promise<unknown>} */
function rawCalls(worker) {
  return (input) =>
    new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.postMessage(input)
    })
}

const raw = rawCalls(new Worker(new URL('./echo.js', import.meta.url), { type: 'module' }))
const source = workerTools(() => new Worker(new URL('./tools.js', import.meta.url), { type: 'module' }))
const [echo] = await source.list({ signal })
const pooled = workerTools(() => new Worker(new URL('./tools.js', import.meta.url), { type: 'module' }), { size: 4 })
const [pooledEcho] = await pooled.list({ signal })

const result = {
  'raw postMessage, small': await time(() => raw({ n: 1 })),
  'worker tool, small': await time(() => echo.execute({ n: 1 }, context)),
  'raw postMessage, 1,000 rows': await time(() => raw(table)),
  'worker tool, 1,000 rows': await time(() => echo.execute(table, context)),
}
const before = performance.now()
await Promise.all(Array.from({ length: CALLS }, () => pooledEcho.execute({ n: 1 }, context)))
result['1,000 calls at once, pool of 4, each'] = { p50: performance.now() - before, p95: Number.NaN }
document.title = JSON.stringify(result)
