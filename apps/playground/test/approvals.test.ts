import { createAgent, type Entry, MemoryStore, openSession, type PendingRequest, type Tool } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { activityWords } from '../src/chat/activity-words.ts'
import { offeredAnswers, requestWords } from '../src/chat/approval-words.ts'
import { readFields, toFields } from '../src/chat/argument-draft.ts'
import { decidedCalls, decisionWords } from '../src/chat/decided-calls.ts'
import { practiceModel } from '../src/model/practice-model.ts'
import { askUserTool } from '../src/tools/ask-user.ts'
import { csvText } from '../src/tools/csv-text.ts'
import { exportTable } from '../src/tools/export-table.ts'
import { cars, sampleTables } from './sample-tables.ts'

const REQUEST: PendingRequest = {
  id: 'r',
  callId: 'c',
  toolName: 'export_table',
  ask: 'approve',
  input: { table: 'cars', fileName: 'cars.csv' },
  inputHash: '',
}

describe('the arguments to look over', () => {
  test('come back as they were', () => {
    const input = { name: 'a', rows: 5, all: false, columns: ['x', 'y'] }
    const fields = toFields(input)
    expect(fields.map(({ kind }) => kind)).toEqual(['text', 'number', 'switch', 'json'])
    expect(readFields(fields)).toEqual({ ok: true, input })
  })

  test('that cannot be read are named', () => {
    const fields = toFields({ rows: 5, columns: ['x'] }).map((field) => ({ ...field, value: '[' }))
    expect(readFields(fields)).toEqual({
      ok: false,
      problems: new Map([
        ['rows', 'Write a number.'],
        ['columns', 'This is not JSON.'],
      ]),
    })
  })

  test('have an empty field for what the person has to fill in', () => {
    expect(toFields({ text: 'Hi' }, ['to', 'text'])).toEqual([
      { name: 'text', kind: 'text', value: 'Hi' },
      { name: 'to', kind: 'text', value: '' },
    ])
  })
})

describe('what is asked', () => {
  test('is said in the words of the tool, where they are known', () => {
    expect(requestWords(REQUEST).title).toBe('Save the table cars as a file?')
    expect(requestWords({ ...REQUEST, toolName: 'wipe' }).title).toBe('Run wipe?')
  })

  test('as a question has its own words and its offers', () => {
    const request = { ...REQUEST, ask: 'answer', input: { question: 'Which?', options: ['a', 5, 'b'] } } as const
    expect([requestWords(request).title, offeredAnswers(request)]).toEqual(['Which?', ['a', 'b']])
  })

  test('is told while it waits, and not while siblings run', () => {
    const call = { callId: 'x', toolName: 'slow_count', turnId: 't', state: 'running', inputText: '' } as const
    const running = { status: 'running', activity: { kind: 'tools', since: 0 }, pending: [REQUEST] } as const
    expect(activityWords({ status: 'awaiting', calls: new Map(), pending: [REQUEST] })).toBe('Waits for you')
    expect(activityWords({ ...running, calls: new Map() })).toBe('Waits for you')
    expect(activityWords({ ...running, calls: new Map([['x', call]]), turn: { openCalls: ['x'] } })).toBe('Counting…')
  })
})

describe('what was decided', () => {
  const asked: Entry = { sequence: 1, at: 0, turnId: 't', type: 'approval-requested', ...REQUEST }
  const words = (
    more: Partial<Extract<Entry, { type: 'approval-decided' }>>,
    ask: PendingRequest['ask'] = 'approve',
  ) => {
    const decided = {
      sequence: 2,
      at: 0,
      turnId: 't',
      type: 'approval-decided',
      id: 'r',
      by: 'user',
      allow: true,
    } as const
    const call = decidedCalls([
      { ...asked, ask },
      { ...decided, ...more },
    ]).get('c')
    return call && decisionWords(call)
  }

  test('says who allowed it, and whether it was changed', () => {
    expect([words({}), words({ input: {} }), words({ by: 'policy' })]).toEqual([
      'Allowed by you',
      'Changed and allowed by you',
      'Allowed by policy',
    ])
  })

  test('says that it was not allowed, and why', () => {
    expect([words({ allow: false }), words({ allow: false, note: 'no' })]).toEqual([
      'Not allowed by you',
      'Not allowed by you: “no”',
    ])
    expect(words({ allow: false, by: 'superseded' })).toBe('Not allowed: something else was asked instead')
  })

  test('is nothing while it waits', () => {
    const [call] = decidedCalls([asked]).values()
    expect(call && decisionWords(call)).toBeUndefined()
  })

  test('about an agent that runs as a tool stands at its call', () => {
    expect([...decidedCalls([{ ...asked, path: ['outer'] }]).keys()]).toEqual(['outer'])
  })
})

describe('the practice model', () => {
  const saved: [text: string, name: string][] = []
  const rows = [
    ['Ford "T", old', 20],
    ['Saab', null],
  ]
  const source = {
    list: () => Promise.resolve([{ name: 'cars', info: cars, version: 'v', addedAt: 0 }]),
    async *rows() {
      yield rows
    },
  }
  const files: Promise<void>[] = []
  const exporter = exportTable(source, (file, name) => {
    files.push(file.text().then((text) => void saved.push([text, name])))
  })

  async function waiting(text: string, tools: readonly Tool[]) {
    const agent = createAgent({ model: practiceModel({ tables: () => sampleTables, speed: 'full' }), tools })
    const session = openSession({ agent, store: new MemoryStore() })
    await session.send(text)
    const ended = new Promise<void>((resolve) => {
      session.subscribe(() => session.getSnapshot().status === 'idle' && resolve())
    })
    const answer = async (): Promise<string> => {
      await ended
      const last = session.getSnapshot().messages.at(-1)
      return last?.role === 'assistant' ? last.content.map((part) => ('text' in part ? part.text : '')).join('') : ''
    }
    return { session, id: session.getSnapshot().pending[0]?.id ?? '', answer }
  }

  test('saves the rows that were asked for once that is allowed', async () => {
    const { session, id, answer } = await waiting('export the cars as CSV', [exporter])
    await session.approve(id, { input: { table: 'Cars', fileName: 'a/b', maxRows: 1 } })
    expect(await answer()).toBe('Saved 1 rows of Cars as **a-b.csv**.')
    await Promise.all(files)
    expect(saved).toEqual([[csvText([cars.columns.map(({ name }) => name), ['Ford "T", old', 20]]), 'a-b.csv']])
  })

  test('answers by the note of a person who does not allow it', async () => {
    const { session, id, answer } = await waiting('export the cars as CSV', [exporter])
    await session.deny(id, 'not *here*')
    expect(await answer()).toBe('You did not allow `export_table`, so it was not run. You said: “not \\*here\\*”')
  })

  test('does nothing with a question that was not answered', async () => {
    const { session, id, answer } = await waiting('ask me first', [askUserTool])
    await session.deny(id)
    expect(await answer()).toBe('You did not answer, so I have done nothing.')
  })
})

test('a CSV cell is quoted where it has to be', () => {
  expect(csvText([['a,b', 'say "x"', null, 5, ' z', 'two\nlines']])).toBe('"a,b","say ""x""",,5," z","two\nlines"\r\n')
})
