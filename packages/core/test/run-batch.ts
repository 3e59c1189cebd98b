import type {
  AssistantMessage,
  CallToolResult,
  Clock,
  Entry,
  JsonObject,
  Tool,
  ToolCallPart,
  ToolResult,
} from '@turnloop/core'
import { resultText, systemClock } from '@turnloop/core'
import type { LiveEventBody } from '../src/events.ts'
import { runToolBatch } from '../src/tool-batch.ts'
import type { KnownCalls, ToolBatchOptions, ToolBatchSettings } from '../src/tool-batch-options.ts'

/** One call of a test: the tool's name, and its arguments or their text. */
export type GivenCall = readonly [toolName: string, input?: JsonObject | string]

/** What a test may say about its batch. */
export interface BatchGiven extends Partial<Omit<ToolBatchOptions, 'known'>>, Partial<ToolBatchSettings> {
  readonly tools: readonly Tool[]
  readonly known?: Partial<KnownCalls>
  /** How long the reply was, as the provider says. */
  readonly outputTokens?: number
  /** What the log says of each append. Default: stored. */
  readonly saved?: Promise<boolean>
  /** Called when something has been written down. */
  onAppend?(): void
}

/** A batch that runs by itself, without a turn around it. */
export interface RunningBatch {
  readonly calls: readonly ToolCallPart[]
  readonly entries: readonly Entry[]
  readonly events: readonly LiveEventBody[]
  readonly done: Promise<unknown>
  /** In call order, late ones left out; a call without one is missing. */
  readonly results: readonly ToolResult[]
}

/** Settle these calls as one reply asked for them. Their ids are `c0`, `c1`, … */
export function runBatch(given: readonly GivenCall[], options: BatchGiven): RunningBatch {
  const calls = given.map(toCall)
  const entries: Entry[] = []
  const events: LiveEventBody[] = []
  const clock: Clock = options.clock ?? systemClock
  const { outputTokens } = options
  const reply: AssistantMessage = {
    id: 'm',
    role: 'assistant',
    createdAt: 0,
    content: calls,
    stopReason: 'toolUse',
    ...(outputTokens !== undefined && { usage: { outputTokens } }),
  }
  const none = { started: new Map(), settled: new Map(), requested: new Map(), decided: new Map() }
  const ways: ToolBatchOptions = {
    signal: new AbortController().signal,
    graceMs: 800,
    messages: [reply],
    turnId: 't',
    emit: (body) => void events.push(body),
    append: (...drafts) => {
      const added = drafts.map((draft, index): Entry => ({ sequence: entries.length + 1 + index, at: 0, ...draft }))
      entries.push(...added)
      options.onAppend?.()
      return { entries: added, saved: options.saved ?? Promise.resolve(true) }
    },
    ...options,
    known: { ...none, ...options.known },
  }
  const settings = { execution: 'parallel', maxParallelTools: 8, maxResultBytes: 200_000, ...options, clock } as const
  const done = runToolBatch(reply, ways, settings)
  return {
    calls,
    entries,
    events,
    done,
    get results() {
      return calls.flatMap(({ callId }) =>
        entries.flatMap((entry) =>
          entry.type === 'tool-settled' && entry.callId === callId && !entry.late ? [entry] : [],
        ),
      )
    },
  }
}

/** Settle a batch to its end. */
export async function settleAll(given: readonly GivenCall[], options: BatchGiven): Promise<RunningBatch> {
  const batch = runBatch(given, options)
  await batch.done
  return batch
}

/** Status and text of each result. */
export function answers({ results }: Pick<RunningBatch, 'results'>): [status: string, text: string][] {
  return results.map(({ status, result }) => [status, resultText(result)])
}

/** The statuses alone. */
export function statuses({ results }: Pick<RunningBatch, 'results'>): string[] {
  return results.map(({ status }) => status)
}

/** The starts that were written down. */
export function starts({ entries }: Pick<RunningBatch, 'entries'>): Extract<Entry, { type: 'tool-started' }>[] {
  return entries.flatMap((entry) => (entry.type === 'tool-started' ? [entry] : []))
}

/** One call as a model writes it. */
export function toCall([toolName, input = {}]: GivenCall, index = 0): ToolCallPart {
  const inputText = typeof input === 'string' ? input : JSON.stringify(input)
  return { type: 'tool-call', callId: `c${index}`, wireId: `c${index}`, toolName, inputText }
}

/** A result of one text block. */
export function textOf(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}
