import {
  createAgent,
  type Entry,
  importSession,
  MemoryStore,
  openSession,
  type SessionFile,
  type Snapshot,
  tool,
} from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  holdsSessions,
  readSessionFiles,
  SessionFileError,
  sessionFileName,
  withoutOpenTurn,
} from '../src/sessions/session-file.ts'

const FILE: SessionFile = { format: 'turnloop-session', version: 1, id: 's', exportedAt: 0, entries: [] }

describe('a file of sessions', () => {
  it('is told from a table by its first bytes', async () => {
    const bundle = { format: 'ask-your-data-sessions', version: 1, sessions: [FILE] }

    expect(await holdsSessions(new Blob([JSON.stringify(FILE)]))).toBe(true)
    expect(await holdsSessions(new Blob([JSON.stringify(bundle, null, 1)]))).toBe(true)
    expect(await holdsSessions(new Blob(['[{"format":"turnloop-session"}]']))).toBe(false)
    expect(await holdsSessions(new Blob(['format,version\nturnloop-session,1']))).toBe(false)
  })

  it('holds one session, or several', () => {
    const bundle = { format: 'ask-your-data-sessions', version: 1, sessions: [FILE, FILE] }

    expect(readSessionFiles(JSON.stringify(FILE), 'a.json')).toEqual([FILE])
    expect(readSessionFiles(JSON.stringify(bundle), 'a.json')).toEqual([FILE, FILE])
  })

  it('that is damaged is named, with the line', () => {
    const read = () => readSessionFiles('{"format": "turnloop-session",\n"entries": [', 'half.json')

    expect(read).toThrow(SessionFileError)
    expect(read).toThrow(/^half\.json could not be read: .* at line 2\. Nothing was imported\.$/)
  })

  it('that is something else altogether is named', () => {
    expect(() => readSessionFiles('[1, 2]', 'cars.json')).toThrow('cars.json holds no session.')
  })

  it('is named after its session', () => {
    expect(sessionFileName('Average horsepower, by origin?', '2030-01-02')).toBe(
      'average-horsepower-by-origin-2030-01-02.json',
    )
    expect(sessionFileName('???', '2030-01-02')).toBe('session-2030-01-02.json')
    expect(sessionFileName(undefined, '2030-01-02')).toBe('session-2030-01-02.json')
  })
})

describe('a session that was exported in the middle of a turn', () => {
  const cut = async (): Promise<{ file: SessionFile; runs: () => number }> => {
    let runs = 0
    const dangerous = tool({
      name: 'dangerous',
      description: 'Has side effects',
      input: z.object({}),
      execute: () => {
        runs += 1
        return 'done'
      },
    })
    const model = scriptedModel([{ calls: [{ name: 'dangerous', input: {} }] }, 'Done.'])
    const agent = createAgent({ model, tools: [dangerous] })
    const session = openSession({ agent, id: 's' })
    await session.send('Do it')
    const whole = await session.export()
    const reply = whole.entries.findIndex((entry) => entry.type === 'checkpoint')
    const file = { ...whole, entries: whole.entries.slice(0, reply + 1) }
    const store = new MemoryStore()
    const id = await importSession(withoutOpenTurn(file, 5), { store })
    const imported = openSession({ agent, store, id })
    await imported.checkpoints()
    expect(shown(imported.getSnapshot())).toBe('idle interrupted')
    return { file, runs: () => runs }
  }
  const shown = ({ status, outcome }: Snapshot): string => `${status} ${outcome?.kind}`

  it('is interrupted there: none of its tools runs when it is opened', async () => {
    expect((await cut()).runs()).toBe(1)
  })

  it('is left alone where its turn is over', async () => {
    const { file } = await cut()
    const over = withoutOpenTurn(file, 5)

    expect(over.entries).toHaveLength(file.entries.length + 1)
    expect(withoutOpenTurn(over, 6)).toBe(over)
    expect(withoutOpenTurn(FILE, 6)).toBe(FILE)
  })

  it('still waits for a person where it did', async () => {
    const { file } = await cut()
    const paused: Entry = {
      ...file.entries[0],
      sequence: file.entries.length + 1,
      at: 0,
      type: 'turn-paused',
      pending: [],
    }
    const waiting = { ...file, entries: [...file.entries, paused] }

    expect(withoutOpenTurn(waiting, 5)).toBe(waiting)
  })
})
