import { autoCompaction, createAgent, messageText, openSession, tool } from '@turnloop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { practiceModel } from '../src/model/practice-model.ts'
import { questionsIn, readSummaryRequest, writeSummary } from '../src/model/summary.ts'
import { calculate } from '../src/tools/calculate.ts'
import { toolAnswer } from '../src/tools/tool-answer.ts'
import { sampleTables } from './sample-tables.ts'

const CONVERSATION = `[user]
How many cars are there?

[assistant]
[calls query_table] {"sql":"SELECT count(*) FROM cars"}

[result of query_table]
count: 406

[assistant]
There are **406** cars.

| count |
|---|

[user]
fail on purpose

[assistant]
[calls fail_on_purpose] {}

[result of fail_on_purpose, error]
It broke.`

test('a summary has what was asked, answered and failed, and the tables', () => {
  expect(writeSummary(CONVERSATION)).toBe(`## Goals
- Latest request: fail on purpose

## Done
- “How many cars are there?”: There are **406** cars.
- “fail on purpose”: not answered

## Open
- fail_on_purpose, error: It broke.

## Identifiers
- Tables: cars`)
})

test('an older summary is folded into the next one', () => {
  const older = writeSummary(CONVERSATION)

  const next = writeSummary(
    `[older summary]\n${older}\n\n[user]\nAnd by origin?\n\n[assistant]\nMost are from the USA.`,
  )

  expect(questionsIn(next)).toEqual(['How many cars are there?', 'fail on purpose', 'And by origin?'])
  expect(next).toContain('Tables: cars')
})

test('only a request for a summary is taken for one', () => {
  expect(readSummaryRequest('<conversation>\n[user]\nHi\n</conversation>\n\nWrite it now.')).toBe('[user]\nHi')
  expect(readSummaryRequest('What is a <conversation>?')).toBeUndefined()
})

test('the practice model shortens a real conversation and still knows what was asked', async () => {
  const long = tool({
    name: 'query_table',
    description: '',
    input: z.object({ sql: z.string() }),
    effect: 'read',
    execute: () => toolAnswer(`origin: USA, horsepower: 119.9\n`.repeat(100), { columns: [], rows: [], rowCount: 0 }),
  })
  const model = practiceModel({ tables: () => sampleTables, speed: 'full' })
  const session = openSession({ agent: createAgent({ model, tools: [long, calculate], compaction: autoCompaction() }) })
  await session.send('average horsepower by origin')
  await session.send('12 % of 340')

  const { hidden, tokensBefore, tokensAfter } = await session.compact()
  const [first] = session.getSnapshot().messages

  expect(hidden).toBeGreaterThan(0)
  expect(tokensAfter).toBeLessThan(tokensBefore / 2)
  expect(first?.role === 'user' && questionsIn(messageText(first))).toContain('average horsepower by origin')
})
