import { createAgent, defineHooks, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'

test('a tool hook is told where a tool comes from', async () => {
  const seen: (string | undefined)[] = []
  const own = { description: 'Says so', execute: () => 'so' }
  const tools = [tool({ ...own, name: 'here' }), tool({ ...own, name: 'there', source: 'worker' })]
  const hooks = defineHooks({
    toolHooks: [
      (call, next) => {
        seen.push(call.source)
        return next()
      },
    ],
  })
  const model = scriptedModel([{ calls: [{ name: 'here' }, { name: 'there' }] }, 'Done.'])
  await createAgent({ model, tools, hooks }).turn('Go').untilDone()
  expect(seen).toEqual([undefined, 'worker'])
})
