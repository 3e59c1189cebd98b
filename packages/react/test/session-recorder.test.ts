import { createAgent, openSession, type Session, tool } from '@turnloop/core'
import { faultyStore, manualClock, type ScriptStep, scriptedModel, storeFaults } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { SessionRecorder } from '../src/devtools/session-recorder.ts'
import { timelineOf } from '../src/devtools/timeline.ts'
import { TurnLog } from '../src/devtools/turn-log.ts'
import { assistant, fakeSession } from './fake-session.ts'

const lookUp = tool({ name: 'look_up', description: 'Looks up.', execute: () => 'found' })

function sessionOf(...steps: readonly ScriptStep[]): Session {
  return openSession({ agent: createAgent({ model: scriptedModel(steps), tools: [lookUp] }) })
}

test('a closed panel keeps what no log has, and no snapshots', async () => {
  const session = sessionOf({ calls: [{ name: 'look_up' }] }, 'done')
  const recorder = new SessionRecorder(session, { snapshots: 10 })
  const stop = recorder.start()
  await session.send('hi')
  const leave = recorder.subscribe(() => {})

  const { notes, steps, entries, count } = recorder.getSnapshot()
  expect(notes.map(({ type }) => type)).toEqual([
    ...['iteration-started', 'model-started', 'iteration-started', 'model-started'],
  ])
  expect(steps).toHaveLength(1)
  expect(count).toBe(entries.length)
  leave()
  stop()
})

test('an open panel hears a change once a frame, and keeps each step', async () => {
  const session = fakeSession()
  const clock = manualClock()
  const recorder = new SessionRecorder(session, { snapshots: 10, clock })
  let told = 0
  recorder.start()
  recorder.subscribe(() => {
    told += 1
  })

  session.change({ status: 'running' })
  session.change({ title: 'a' })
  expect(told).toBe(0)
  await clock.advance(16)

  expect(told).toBe(1)
  expect(recorder.getSnapshot().steps.map(({ label }) => label)).toEqual(['as it was found', 'status', 'title'])
  expect(recorder.getSnapshot().snapshot).toBe(session.getSnapshot())
})

test('a step stays the same object until its moment changes', async () => {
  const session = fakeSession()
  const clock = manualClock()
  const recorder = new SessionRecorder(session, { snapshots: 10, clock })
  recorder.start()
  recorder.subscribe(() => {})

  session.change({ title: 'a' })
  await clock.advance(16)
  const [first, second] = recorder.getSnapshot().steps
  session.change({ open: assistant('1', 'H') })
  await clock.advance(16)

  expect(recorder.getSnapshot().steps.slice(0, 2)).toEqual([first, second])
  expect(recorder.getSnapshot().steps[1]).toBe(second)
})

test('another state of the storage is noted', () => {
  const session = fakeSession()
  const clock = manualClock()
  const recorder = new SessionRecorder(session, { snapshots: 10, clock })
  recorder.start()

  session.change({ storage: { state: 'full', waiting: 2 } })
  recorder.subscribe(() => {})

  expect(recorder.getSnapshot().notes).toMatchObject([{ type: 'storage', storage: { state: 'full', waiting: 2 } }])
})

test('a store that fails and recovers is drawn in time', async () => {
  const agent = createAgent({ model: scriptedModel(['Hello.']) })
  const store = faultyStore()
  store.break('append', storeFaults.refuse('disconnected'))
  const session = openSession({ agent, store })
  const recorder = new SessionRecorder(session, { snapshots: 10 })
  const stop = recorder.start()
  await session.send('hi')
  store.mend()
  await session.flush()
  recorder.subscribe(() => {})

  const { entries, notes } = recorder.getSnapshot()
  const [turn] = new TurnLog().read(entries)
  const saves = turn && timelineOf(turn, notes, 0).rows.filter(({ kind }) => kind === 'save')
  expect(saves).toMatchObject([{ label: 'storage degraded', tone: 'bad' }])
  stop()
  await session.close()
})

test('what has stopped is told of nothing more, and can start again', () => {
  const session = fakeSession()
  const recorder = new SessionRecorder(session, { snapshots: 10, clock: manualClock() })

  recorder.start()()
  expect(session.listenerCount).toBe(0)
  const stop = recorder.start()
  expect(session.listenerCount).toBe(1)
  stop()
  expect(session.listenerCount).toBe(0)
})

test('the last thousand notes are kept', () => {
  const session = fakeSession()
  const recorder = new SessionRecorder(session, { snapshots: 10, clock: manualClock() })
  recorder.start()

  for (let waiting = 1; waiting <= 3_000; waiting += 1) session.change({ storage: { state: 'ready', waiting } })
  recorder.subscribe(() => {})

  const { notes } = recorder.getSnapshot()
  expect(notes.length).toBeLessThanOrEqual(1_250)
  expect(notes.at(-1)).toMatchObject({ storage: { waiting: 3_000 } })
})
