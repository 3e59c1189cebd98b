import {
  createAgent,
  type Message,
  type Model,
  type SessionInput,
  type Tool,
  type TurnOptions,
  type TurnResult,
  tool,
} from '@turnloop/core'
import { assertHistory } from '@turnloop/testing'
import { z } from 'zod'
import type { Note } from '../src/data/note.ts'
import type { TableInfo } from '../src/data/table-info.ts'
import { practiceModel } from '../src/model/practice-model.ts'
import { calculate } from '../src/tools/calculate.ts'
import { describeTable } from '../src/tools/describe-table.ts'
import { drawChart } from '../src/tools/draw-chart.ts'
import { queryTable } from '../src/tools/query-table.ts'
import { failOnPurpose, slowCount } from '../src/tools/slow-count.ts'
import { toolAnswer } from '../src/tools/tool-answer.ts'
import { sampleDatabase } from './sample-database.ts'
import { sampleTables } from './sample-tables.ts'

/** A conversation with the practice model over the data that ships, tools and all, without a browser. */
export interface Talk {
  /** Ask, and wait for the answer. */
  ask(input: SessionInput, options?: TurnOptions): Promise<TurnResult>
  /** The tools that were called since the last question, in order. */
  calls(result: TurnResult): string[]
  readonly messages: readonly Message[]
}

/** Start a conversation. Every request to the model is checked for pairing. */
export async function talk(options: { tables?: readonly TableInfo[]; tools?: readonly Tool[] } = {}): Promise<Talk> {
  const { tables = sampleTables } = options
  const database = await sampleDatabase()
  const agent = createAgent({
    model: checked(practiceModel({ tables: () => tables, speed: 'full' })),
    tools: options.tools ?? [
      describeTable(() => Promise.resolve(database)),
      queryTable(() => Promise.resolve(database)),
      drawChart(() => Promise.resolve(database)),
      calculate,
      slowCount,
      failOnPurpose,
      ...noteTools(),
    ],
  })
  let messages: readonly Message[] = []
  return {
    get messages() {
      return messages
    },
    async ask(input, turnOptions = {}) {
      const content = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input
      const asked: Message = { id: crypto.randomUUID(), role: 'user', createdAt: 0, content }
      const before = messages.length
      const result = await agent.turn([...messages, asked], turnOptions).untilDone()
      messages = result.messages.length > before ? result.messages : [...messages, ...result.messages]
      return result
    },
    calls: (result) => {
      const at = result.messages.findLastIndex((message) => message.role === 'user')
      return result.messages
        .slice(at + 1)
        .flatMap((message) => (message.role === 'tool' ? message.results.map((each) => each.toolName) : []))
    },
  }
}

function checked(model: Model): Model {
  return {
    ...model,
    stream: (request, options) => {
      assertHistory(request.messages)
      return model.stream(request, options)
    },
  }
}

/** Notes kept in memory: the page's own need IndexedDB. */
function noteTools(): Tool[] {
  const notes: Note[] = []
  return [
    tool({
      name: 'save_note',
      description: '',
      input: z.object({ text: z.string() }),
      effect: 'idempotent',
      execute: ({ text }, { idempotencyKey }) => {
        const note = { id: idempotencyKey, text, createdAt: Date.UTC(2026, 0, 31) }
        notes.push(note)
        return toolAnswer('Saved.', { note })
      },
    }),
    tool({
      name: 'find_notes',
      description: '',
      input: z.object({ query: z.string().optional() }),
      effect: 'read',
      execute: ({ query = '' }) =>
        toolAnswer('', { query, notes: notes.filter((note) => note.text.toLowerCase().includes(query.toLowerCase())) }),
    }),
  ]
}
