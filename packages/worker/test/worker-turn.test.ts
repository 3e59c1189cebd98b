import { createAgent, type Tool, type ToolResult, tool } from '@turnloop/core'
import { deafTool, scriptedModel } from '@turnloop/testing'
import { expect, it } from 'vitest'
import type { ChannelWorker } from './channel-worker.ts'
import { workplace } from './workplace.ts'

/** Have a model call tools of a worker, one batch after the other, and see what it is told. */
async function resultsOf(
  tools: (worker: () => ChannelWorker | undefined) => readonly Tool[],
  ...batches: readonly (readonly string[])[]
): Promise<readonly ToolResult[]> {
  const { source } = await workplace(tools)
  const calls = batches.map((names) => ({ calls: names.map((name) => ({ name })) }))
  const agent = createAgent({ model: scriptedModel([...calls, 'Done.']), tools: [source] })
  const { messages } = await agent.turn('Go.').untilDone()
  return messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
}

const ok = tool({ name: 'ok', description: 'Works.', effect: 'read', execute: () => ({ sum: 5 }) })

function crash(worker: () => ChannelWorker | undefined): Tool {
  return tool({
    name: 'crash',
    description: 'Takes its worker down.',
    execute: () => {
      worker()?.emit('error', { message: 'boom' })
      return new Promise(() => {})
    },
  })
}

it('a value of a worker is a result like any other', async () => {
  expect(await resultsOf(() => [ok], ['ok'])).toMatchObject([
    { toolName: 'ok', status: 'ok', result: { structuredContent: { sum: 5 } } },
  ])
})

it('a streamed result is its text joined', async () => {
  const stream = tool({
    name: 'stream',
    description: 'Yields.',
    async *execute() {
      yield* ['three ', 'words ', 'long']
    },
  })
  const [streamed] = await resultsOf(() => [stream], ['stream'])
  expect(streamed?.result.content).toEqual([{ type: 'text', text: 'three words long' }])
})

it('a crash in mid-call is an unknown outcome, and the next call has a fresh worker', async () => {
  const results = await resultsOf((worker) => [ok, crash(worker)], ['crash'], ['ok'])
  expect(results.map(({ toolName, status }) => [toolName, status])).toEqual([
    ['crash', 'unknown'],
    ['ok', 'ok'],
  ])
  expect(JSON.stringify(results[0]?.result.content)).toContain('crashed: boom')
})

it('a deaf tool over its own limit is an unknown outcome, and reading calls beside it are not harmed', async () => {
  const deaf = { ...deafTool(), timeoutMs: 20 }
  const place = await workplace(() => [deaf, ok], { graceMs: 10 })
  const batch = { calls: [{ name: 'deaf' }, { name: 'ok' }] }
  const agent = createAgent({ model: scriptedModel([batch, 'Done.']), tools: [place.source] })
  const ending = agent.turn('Go.').untilDone()
  await deaf.started
  await place.pass(30)
  const { messages } = await ending
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  expect(results.map(({ toolName, status }) => [toolName, status])).toEqual([
    ['deaf', 'unknown'],
    ['ok', 'ok'],
  ])
})
