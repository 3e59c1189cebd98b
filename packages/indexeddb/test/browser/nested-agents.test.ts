import { agentTool, createAgent, openSession, type Session, tool } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { type Deferred, deferred, type Script, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { freshName } from './databases.ts'

/** Asks for a tool until its results are there, then says so. */
function asksFor(name: string, input: object): Script {
  return ({ messages }): ScriptStep =>
    messages.at(-1)?.role === 'tool' ? { text: 'Done.', usage: { inputTokens: 1 } } : asking(name, input)
}

function asking(name: string, input: object): ScriptStep {
  return { calls: [{ name, input }], usage: { inputTokens: 10 } }
}

/** A page whose agent asks another one, which pays; `gate` holds the payment up. */
function openPage(
  databaseName: string,
  gate?: Deferred<void>,
): { session: Session; paid: string[]; started: Promise<void> } {
  const paid: string[] = []
  const started = deferred()
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    execute: async () => {
      paid.push('pay')
      started.resolve()
      await gate?.promise
      return 'paid'
    },
  })
  const inner = createAgent({ model: scriptedModel(asksFor('pay', {})), tools: [pay] })
  const helper = agentTool(inner, { name: 'helper', description: 'Helps' })
  const agent = createAgent({ model: scriptedModel(asksFor('helper', { task: 'Pay' })), tools: [helper], graceMs: 20 })
  const session = openSession({ agent, id: 's', store: indexedDbStore({ name: databaseName }), resume: 'manual' })
  return { session, paid, started: started.promise }
}

test('an agent inside a turn goes on in another page, and pays once', async () => {
  const name = freshName()
  const gate = deferred()
  const first = openPage(name, gate)
  first.session.send('Go').catch(() => {})
  await first.started
  await first.session.close({ running: 'leave' })
  const second = openPage(name)
  const { outcome, text, usage } = await second.session.resume()
  expect([outcome.kind, text, first.paid.length + second.paid.length]).toEqual(['completed', 'Done.', 1])
  expect(usage.inputTokens).toBe(22)
  await second.session.close()
  gate.resolve()

  const store = indexedDbStore({ name })
  const log = await store.read('s')
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_entry, index) => index + 1))
  const nested = log.filter(({ path }) => path?.length === 1).map(({ type }) => type)
  expect(nested).toEqual([
    ...['turn-started', 'message', 'message', 'checkpoint', 'tool-started', 'tool-settled', 'message', 'checkpoint'],
    ...['message', 'checkpoint', 'turn-ended'],
  ])
  expect((await store.head('s'))?.usage.inputTokens).toBe(22)
})
