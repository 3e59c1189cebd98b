import { workerTools } from '@turnloop/worker'

const source = workerTools(() => new Worker(new URL('./tools.js', import.meta.url), { type: 'module' }), { size: 2 })
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

/** @param {string} name @param {object} input @returns {Promise<unknown>} */
async function call(name, input) {
  try {
    const tools = await source.list({ signal })
    return await tools.find((tool) => tool.name === name)?.execute(input, context)
  } catch (error) {
    return String(error)
  }
}

const seen = {
  add: await call('add', {}),
  code: await call('run_javascript', { code: '[1, 2].map(n => n * 2)' }),
}
document.title = JSON.stringify(seen)
