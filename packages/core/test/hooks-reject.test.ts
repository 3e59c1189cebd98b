import { createAgent, defineHooks, InputCheckError, OutputCheckError, openSession } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'

const input = defineHooks({
  preHooks: [() => Promise.reject(new InputCheckError('Not here.', { trigger: 'off_topic', data: { score: 1 } }))],
})
const output = defineHooks({ postHooks: [() => ({ block: 'Too rude.' })] })

test('send rejects with the very error of a blocked input where that is asked for', async () => {
  const session = openSession({ agent: createAgent({ model: scriptedModel([]), hooks: input }) })
  const failure = await session.send('Hi', { reject: 'blocked' }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(InputCheckError)
  expect(failure).toMatchObject({ message: 'Not here.', trigger: 'off_topic', data: { score: 1 } })
  // All of it is in the log by then.
  expect(session.getEntries().at(-1)?.type).toBe('turn-ended')
})

test('untilDone rejects with the error of a blocked answer', async () => {
  const agent = createAgent({ model: scriptedModel(['Grr.']), hooks: output })
  const failure = await agent
    .turn('Hi', { reject: 'blocked' })
    .untilDone()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(OutputCheckError)
  expect(failure).toMatchObject({ code: 'blocked', message: 'Too rude.', trigger: 'output_not_allowed' })
})

test('a hook that puts nothing in place changes nothing', async () => {
  const hooks = defineHooks({ postHooks: [() => ({ replace: undefined }) as never] })
  const { text } = await createAgent({ model: scriptedModel(['As it was.']), hooks })
    .turn('Hi')
    .untilDone()
  expect(text).toBe('As it was.')
})

test('metadata that is no plain data is refused by its path', () => {
  const agent = createAgent({ model: scriptedModel([]) })
  expect(() => agent.turn('Hi', { metadata: { tell: (() => {}) as never } })).toThrow(/metadata\.tell is a function/)
})
