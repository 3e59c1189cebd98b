import { createAgent, openSession, replay, type SessionFile, type Snapshot, tool } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { LONGEST_PAUSE_MS, Player } from '../src/devtools/player.ts'
import { Recording, readRecording } from '../src/devtools/recording.ts'

const lookUp = tool({ name: 'look_up', description: 'Looks up.', execute: () => 'found' })

async function exported(turns = 1): Promise<SessionFile> {
  const model = scriptedModel((_request, index) => (index % 2 === 0 ? { calls: [{ name: 'look_up' }] } : 'done'))
  const session = openSession({ agent: createAgent({ model, tools: [lookUp] }) })
  for (let turn = 0; turn < turns; turn += 1) await session.send(`Question ${turn}`)
  return session.export()
}

/** A file whose entries lie so far apart. */
async function paced(gapMs: number): Promise<Recording> {
  const file = await exported()
  return new Recording({ ...file, entries: file.entries.map((entry, index) => ({ ...entry, at: index * gapMs })) })
}

async function snapshotsOf(file: SessionFile): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = []
  for await (const snapshot of replay(file)) snapshots.push(snapshot)
  return snapshots
}

test('a recording shows what the session was after each entry, in any order', async () => {
  const file = await exported(40)
  const expected = await snapshotsOf(file)
  const recording = new Recording(file)
  expect(recording.length).toBeGreaterThan(256)

  for (const position of [recording.length, 1, 200, 199, 129, 128, 127, 300, 5]) {
    const { messages, status, usage, outcome } = recording.at(position)
    const { messages: then, ...rest } = expected[position - 1] ?? recording.at(0)
    expect(messages).toEqual(then)
    expect({ status, usage, outcome }).toEqual({ status: rest.status, usage: rest.usage, outcome: rest.outcome })
  }
  expect(recording.at(0).messages).toEqual([])
})

test('a step on keeps what did not change', async () => {
  const recording = new Recording(await exported(2))
  const before = recording.at(recording.length - 2)
  const after = recording.at(recording.length - 1)

  expect(after.messages[0]).toBe(before.messages[0])
})

test('text that is no JSON is refused in words', async () => {
  await expect(readRecording('{')).rejects.toThrow(/^This is no JSON, and so no exported session: /)
})

test('JSON that is no session is refused in words', async () => {
  await expect(readRecording('{"format":"else"}')).rejects.toThrow(/no session file.*format/)
})

test('a missing entry is named', async () => {
  const file = await exported()
  const entries = file.entries.filter((_, index) => index !== 3)

  await expect(readRecording(JSON.stringify({ ...file, entries }))).rejects.toThrow(/entry 4 is missing/)
})

test('an entry that cannot be played is told of when the file is read', async () => {
  const file = await exported()
  const entries = file.entries.map((entry) => (entry.type === 'message' ? { ...entry, message: null } : entry))

  await expect(readRecording(JSON.stringify({ ...file, entries }))).rejects.toThrow(/cannot be played/)
})

test('an exported session is read back', async () => {
  const file = await exported()

  expect((await readRecording(JSON.stringify(file))).file).toEqual(file)
})

test('a player keeps the pauses of the recording, divided by its speed', async () => {
  const clock = manualClock()
  const player = new Player(await paced(100), { snapshots: 10, clock })

  player.setSpeed(2)
  player.play()
  expect(player.getSnapshot()).toMatchObject({ position: 0, isPlaying: true })
  await clock.advance(0)
  expect(player.getSnapshot().position).toBe(1)
  await clock.advance(49)
  expect(player.getSnapshot().position).toBe(1)
  await clock.advance(1)
  expect(player.getSnapshot().position).toBe(2)
})

test('a long pause is shortened', async () => {
  const clock = manualClock()
  const player = new Player(await paced(60_000), { snapshots: 10, clock })

  player.play()
  await clock.advance(0)
  await clock.advance(LONGEST_PAUSE_MS)

  expect(player.getSnapshot().position).toBe(2)
})

test('a player stops at the end, and begins again from there', async () => {
  const clock = manualClock()
  const recording = await paced(10)
  const player = new Player(recording, { snapshots: 10, clock })

  player.play()
  await clock.advance(10 * recording.length)
  expect(player.getSnapshot()).toMatchObject({ position: recording.length, isPlaying: false })
  player.play()
  expect(player.getSnapshot()).toMatchObject({ position: 0, isPlaying: true })
})

test('a step pauses, and stays within the recording', async () => {
  const clock = manualClock()
  const player = new Player(await paced(10), { snapshots: 10, clock })

  player.play()
  player.seek(-1)
  await clock.advance(10_000)

  expect(player.getSnapshot()).toMatchObject({ position: 0, isPlaying: false })
})

test('the steps of a recording are its last entries, read when they are asked for', async () => {
  const recording = new Recording(await exported())
  const steps = recording.steps(5, 3)

  expect(steps.map(({ key }) => key)).toEqual(['3', '4', '5'])
  expect(steps.at(-1)?.read()).toEqual(recording.at(5))
})
