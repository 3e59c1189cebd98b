import type { ModelRequest } from '@turnloop/core'
import { deafTool, type ScriptStep } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { repeat, shown, until, untilIdle, waiting } from './session-setup.ts'
import { diskFaults, openTabs, pageOf, untilEntry } from './tabs-setup.ts'

/** Calls a tool first, then repeats what was said last. */
function looksFirst(request: ModelRequest): ScriptStep {
  return request.messages.some(({ role }) => role === 'tool') ? repeat(request) : { calls: [{ name: 'look' }] }
}

test('a follower steers the turn of the driver', async () => {
  const look = deafTool({ name: 'look', effect: 'read' })
  const { disk, pages } = await openTabs([looksFirst, looksFirst], { tools: [look] })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await look.started
  await until(b.session, ({ role, status }) => role === 'follower' && status === 'running')
  const steered = b.session.send('two', { whenBusy: 'steer' })
  for (const { session } of pages) await until(session, (snapshot) => waiting(snapshot).join() === 'two')
  look.release('seen')
  expect([(await turn).text, (await steered).text, (await steered).turnId]).toEqual([
    'You said two',
    'You said two',
    (await turn).turnId,
  ])
  await untilIdle(b.session)
  expect([shown(b.session), b.model.requests.length]).toEqual([shown(a.session), 0])
  expect(await diskFaults(disk)).toEqual([])
})

test('what a dead driver had waiting joins the turn that goes on', async () => {
  const look = deafTool({ name: 'look', effect: 'read' })
  const { disk, pages } = await openTabs([looksFirst, looksFirst], { tools: [look] })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('one').catch(() => {})
  await look.started
  await until(b.session, ({ role }) => role === 'follower')
  const steered = b.session.send('two', { whenBusy: 'steer' })
  await until(a.session, ({ queue }) => queue.length === 1)
  await a.session.flush()
  a.tab.crash()
  await vi.waitUntil(() => look.calls.length === 2)
  look.release('seen')
  expect((await steered).text).toBe('You said two')
  expect(shown(b.session)).toEqual(['user: one', 'assistant: ', 'tool: ok', 'user: two', 'assistant: You said two'])
  expect(await diskFaults(disk)).toEqual([])
})

test('what had joined before the driver died is not said again', async () => {
  const look = deafTool({ name: 'look', effect: 'read' })
  const hangs = (request: ModelRequest): ScriptStep =>
    request.messages.some(({ role }) => role === 'tool') ? { text: 'Half', hang: true } : looksFirst(request)
  const { disk, pages } = await openTabs([hangs, looksFirst], { tools: [look] })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('one').catch(() => {})
  await look.started
  await until(b.session, ({ role }) => role === 'follower')
  const steered = b.session.send('two', { whenBusy: 'steer' })
  await until(a.session, ({ queue }) => queue.length === 1)
  look.release('seen')
  await until(b.session, () => shown(b.session).includes('user: two'))
  await a.session.flush()
  a.tab.crash()
  expect((await steered).text).toBe('You said two')
  expect(shown(b.session).filter((line) => line === 'user: two')).toHaveLength(1)
  expect(await diskFaults(disk)).toEqual([])
})

test('a follower edits and regenerates', async () => {
  const { disk, pages } = await openTabs([repeat, repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await a.session.send('one')
  const hold = a.session.send('two')
  await untilEntry(b, 'turn-ended')
  await hold
  await until(b.session, ({ messages, status }) => status === 'idle' && messages.length === 4)
  const first = b.session.getSnapshot().messages[0]?.id ?? ''
  expect((await b.session.edit(first, 'uno')).text).toBe('You said uno')
  expect((await b.session.regenerate()).text).toBe('You said uno')
  await until(a.session, ({ messages, status }) => status === 'idle' && messages.length === 2)
  expect(shown(a.session)).toEqual(['user: uno', 'assistant: You said uno'])
  expect(await diskFaults(disk)).toEqual([])
})
