import { createAgent, openSession, type Session, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { scriptedModel } from '@turnloop/testing'

/** A conversation whose model asks to pay once, which a person has to allow, and then says so. */
export function openPaying(): Session {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    input: jsonSchema({ type: 'object' }),
    needsApproval: true,
    execute: () => 'Paid.',
  })
  return openSession({
    agent: createAgent({
      model: scriptedModel([{ text: 'One moment.', calls: [{ name: 'pay' }] }, 'It is paid.']),
      tools: [pay],
    }),
  })
}
