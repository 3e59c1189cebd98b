import { type Tool, type ToolContext, tool } from '@turnloop/core'
import { expect, it } from 'vitest'
import { callContext } from './call-context.ts'
import { workplace } from './workplace.ts'

/** Run one call in a worker and see what the session's state is in the page afterwards. */
async function stateAfter(execute: (context: ToolContext) => unknown): Promise<{ end: unknown; state: unknown }> {
  const probe: Tool = tool({ name: 'probe', description: 'For tests.', execute: (_input, context) => execute(context) })
  const place = await workplace(() => [probe])
  const [listed] = await place.source.list({ signal: new AbortController().signal })
  const context = callContext({ state: { topics: ['tables'] } })
  const end = await Promise.resolve(listed?.execute({}, context)).then(
    (value) => value,
    (error: unknown) => error,
  )
  return { end, state: context.state }
}

it('what a tool changes in place is changed in the page', async () => {
  const { state } = await stateAfter((context) => {
    // A list, as it was given.
    const topics = context.state.topics as string[]
    topics.push('charts')
  })
  expect(state).toEqual({ topics: ['tables', 'charts'] })
})

it('a whole new state takes the place of the old', async () => {
  const { state } = await stateAfter((context) => {
    context.state = { fresh: true }
  })
  expect(state).toEqual({ fresh: true })
})

it('a state that was only read is not sent back', async () => {
  const before = { topics: ['tables'] }
  const probe = tool({ name: 'probe', description: 'Reads.', execute: (_input, { state }) => state.topics })
  const place = await workplace(() => [probe])
  const [listed] = await place.source.list({ signal: new AbortController().signal })
  const context = callContext({ state: before })
  expect(await listed?.execute({}, context)).toEqual(['tables'])
  expect(context.state).toBe(before)
})

it('what a failing tool had changed is changed', async () => {
  const { end, state } = await stateAfter((context) => {
    context.state = { tries: 1 }
    throw new RangeError('row 7')
  })
  expect(end).toMatchObject({ name: 'RangeError' })
  expect(state).toEqual({ tries: 1 })
})

it('a state that cannot be copied is an error that names the path', async () => {
  const { end, state } = await stateAfter((context) => {
    context.state.draw = () => {}
    return 'ok'
  })
  expect(end).toMatchObject({ code: 'not-cloneable', facts: { path: 'state.draw' } })
  expect(state).toEqual({ topics: ['tables'] })
})
