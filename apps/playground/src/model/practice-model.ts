import { type Clock, type Message, type Model, type ModelEvent, type ModelRequest, systemClock } from '@turnloop/core'
import { randomId } from '../app/random-id.ts'
import type { TableInfo } from '../data/table-info.ts'
import { besideFiles, fileScript } from './file-script.ts'
import type { Intent } from './intent.ts'
import { nextStep, type PlannedCall, type Step } from './plan.ts'
import { readIntent } from './read-intent.ts'
import { scriptFor } from './scripts.ts'
import { readSummaryRequest, writeSummary } from './summary.ts'
import { earlierQuestions, readTurn } from './turn-so-far.ts'

/** Options of `practiceModel`. */
export interface PracticeModelOptions {
  /** The tables it knows; asked anew for every request. */
  tables(): readonly TableInfo[]
  /** `'human'` (default) streams at reading pace, `'full'` without waiting. */
  speed?: 'human' | 'full'
  clock?: Clock
}

/**
 * A small rule-based model: no AI, works offline, and says so.
 *
 * It reads the question with rules, calls tools like any model, and writes its answer from their real results. Each
 * request is answered from its messages alone, so a turn goes on after a reload where its tools had come to. On abort the
 * stream ends. It is also the shortest example of the `Model` port: yield parts, end with `finish`.
 */
export function practiceModel({ tables, speed = 'human', clock = systemClock }: PracticeModelOptions): Model {
  return {
    provider: 'practice',
    modelId: 'practice-model',
    stream: (request, { signal }) => {
      const pause = (ms: number): Promise<void> => (speed === 'full' ? Promise.resolve() : wait(ms, signal, clock))
      return stream(request, tables(), { signal, pause })
    },
  }
}

interface Pace {
  readonly signal: AbortSignal
  pause(ms: number): Promise<void>
}

const THINKING_MS = 250
const WORD_MS = 22

/** Long arguments, the rows of a chart, come in larger pieces: nobody reads them as they come. */
const MOST_INPUT_DELTAS = 30

async function* stream(request: ModelRequest, tables: readonly TableInfo[], pace: Pace): AsyncGenerator<ModelEvent> {
  const step = decide(request, tables)
  yield { type: 'started', modelId: 'practice-model' }
  await pace.pause(THINKING_MS)
  if (step.kind === 'call') yield* part('reasoning', step.thought, pace)
  else yield* part('text', step.text, pace)
  for (const call of step.kind === 'call' ? step.calls : []) yield* toolCall(call, pace)
  if (pace.signal.aborted) return
  const output = step.kind === 'call' ? step.thought + JSON.stringify(step.calls) : step.text
  yield { type: 'finish', stopReason: step.kind === 'call' ? 'toolUse' : 'endTurn', usage: usageOf(request, output) }
}

function decide(request: ModelRequest, tables: readonly TableInfo[]): Step {
  const { question, files, batches, earlier } = readTurn(request.messages)
  const conversation = request.tools.length === 0 ? readSummaryRequest(question) : undefined
  if (conversation !== undefined) return { kind: 'answer', text: writeSummary(conversation) }
  const aboutFiles = fileScript({ question, files, earlier })
  if (aboutFiles !== undefined) return nextStep(aboutFiles, batches, NO_TOOLS)
  const previous = previousQuery(earlier, tables)
  const intent = readIntent(question, { tables, ...(previous !== undefined && { previous }) })
  const tools = new Set(request.toolChoice === 'none' ? [] : request.tools.map((tool) => tool.name))
  const script = besideFiles(scriptFor(intent, { tables, tools, earlier }), intent, files)
  return nextStep(script, batches, tools)
}

const NO_TOOLS: ReadonlySet<string> = new Set()

/** How many questions back "and by cylinders?" may refer. */
const MEMORY = 5

function previousQuery(earlier: readonly Message[], tables: readonly TableInfo[]): Intent | undefined {
  const questions = earlierQuestions(earlier).slice(0, MEMORY)
  return questions.map((text) => readIntent(text, { tables })).find((intent) => intent.kind === 'query')
}

async function* part(kind: 'text' | 'reasoning', content: string, pace: Pace): AsyncGenerator<ModelEvent> {
  yield { type: `${kind}-start`, id: kind }
  for (const delta of content.match(/\s*\S+/g) ?? []) {
    if (pace.signal.aborted) return
    yield { type: `${kind}-delta`, id: kind, delta }
    await pace.pause(WORD_MS)
  }
  yield { type: `${kind}-end`, id: kind }
}

async function* toolCall({ toolName, input }: PlannedCall, pace: Pace): AsyncGenerator<ModelEvent> {
  if (pace.signal.aborted) return
  const id = `practice-${randomId()}`
  const inputText = JSON.stringify(input)
  yield { type: 'tool-input-start', id, toolName }
  const size = Math.max(40, Math.ceil(inputText.length / MOST_INPUT_DELTAS))
  for (let at = 0; at < inputText.length; at += size) {
    const delta = inputText.slice(at, at + size)
    yield { type: 'tool-input-delta', id, delta }
    await pace.pause(WORD_MS)
    if (pace.signal.aborted) return
  }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', id, toolName, inputText }
}

/** What a model with usual tokens would count: about four characters each. It does not look into files. */
function usageOf(
  request: ModelRequest,
  output: string,
): { inputTokens: number; outputTokens: number; totalTokens: number } {
  const messages = request.messages.reduce((sum, message) => sum + lengthOf(message), 0)
  const inputTokens = Math.ceil(((request.instructions?.length ?? 0) + messages) / 4)
  const outputTokens = Math.ceil(output.length / 4)
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

const lengths = new WeakMap<Message, number>()

/** Messages never change: each is measured once, however many requests it is part of. */
function lengthOf(message: Message): number {
  const length = lengths.get(message) ?? JSON.stringify(message, withoutBytes).length
  lengths.set(message, length)
  return length
}

function withoutBytes(key: string, value: unknown): unknown {
  return key === 'base64' ? '' : value
}

/** Resolves after a time, or at once when the signal aborts. */
function wait(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      stopTimer()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const stopTimer = clock.setTimer(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
