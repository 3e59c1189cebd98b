import { autoCompaction, createAgent, MemoryStore, openSession } from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { isSummaryRequest, summaryShape } from './compacted-setup.ts'
import { echo, say } from './loop-setup.ts'

test('the summary of a turn without history stays out of later ones', async () => {
  const filler = 'words and words '.repeat(60)
  let asked = 0
  const model = scriptedModel((request): ScriptStep => {
    if (isSummaryRequest(request)) return 'Goals: x.'
    asked += 1
    return asked < 7 ? { calls: [say(`${asked} ${filler}`)] } : 'Done.'
  })
  const store = new MemoryStore()
  const agent = createAgent({
    model,
    history: false,
    tools: [echo],
    compaction: autoCompaction({ window: 2500 }),
    clock: manualClock(),
  })
  const session = openSession({ agent, store, id: 's' })
  await session.send('Apart')
  expect(session.getEntries().some(({ type }) => type === 'overlay')).toBe(true)
  const shown = session.getSnapshot().messages
  expect(shown.some((m) => m.role === 'user' && m.synthetic === 'summary')).toBe(true)
  session.setAgent(agent.with({ history: true }))
  await session.send('Together')
  expect(summaryShape(model.requests.at(-1))).toEqual(['user: Together'])
  await session.close()
  const again = openSession({ agent: agent.with({ history: true }), store, id: 's' })
  await again.send('More')
  expect(summaryShape(model.requests.at(-1))).toEqual(['user: Together', 'assistant: Done.', 'user: More'])
  expect(again.getSnapshot().messages.slice(0, shown.length)).toEqual(shown)
})
