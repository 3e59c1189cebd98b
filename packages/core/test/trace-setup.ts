import { createAgent, type TurnEvent } from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import type { SpanRecord } from '../src/trace-span.ts'
import { type TraceOptions, traceTurns } from '../src/trace-turns.ts'

type Given = Omit<TraceOptions, 'onSpan'>

/** The id of the turns below, and of their traces. */
export const TURN_ID = '01234567-89ab-4cde-8f01-23456789abcd'

/** The spans of one turn that runs by script, in the order they ended. */
export async function traced(
  steps: readonly ScriptStep[],
  options: Partial<Parameters<typeof createAgent>[0]> & { trace?: Given } = {},
): Promise<readonly SpanRecord[]> {
  const { trace, ...agent } = options
  const spans: SpanRecord[] = []
  const clock = manualClock()
  const model = scriptedModel(steps, { modelId: 'small' })
  const turn = createAgent({ name: 'helper', model, clock, ...agent }).turn('What is 2 + 2?', {
    turnId: TURN_ID,
    onEvent: traceTurns({ ...trace, onSpan: (span) => spans.push(span) }),
  })
  const done = turn.untilDone()
  await clock.runAll()
  await done
  return spans
}

/** A tracer fed by hand: one event per second, each with the turn's id. */
export function feed(options: Given = {}): { hear(...bodies: object[]): void; readonly spans: readonly SpanRecord[] } {
  const spans: SpanRecord[] = []
  const listener = traceTurns({ ...options, onSpan: (span) => spans.push(span) })
  let at = 0
  return {
    spans,
    hear(...bodies) {
      for (const body of bodies) {
        at += 1000
        // The bodies are written out as the loop writes them.
        listener({ turnId: TURN_ID, at, ...body } as TurnEvent)
      }
    },
  }
}

/** Spans as `name` of the parent `>` name, in the order they ended. */
export function tree(spans: readonly SpanRecord[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return spans.map(({ name, parentSpanId }) =>
    parentSpanId === undefined ? name : `${names.get(parentSpanId) ?? '?'} > ${name}`,
  )
}

/** The one span whose name begins so. */
export function named(spans: readonly SpanRecord[], name: string): SpanRecord {
  const [found, ...others] = spans.filter((span) => span.name.startsWith(name))
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} spans "${name}"`)
  return found
}

/** Bodies of events, as they come in a turn. */
export const bodies: {
  started(agentName?: string): object
  model(modelId?: string): object
  tool(callId: string): object
  settled(callId: string, status?: string): object
  ended(outcome?: object): object
  readonly iteration: object
  readonly retry: object
  readonly paused: object
} = {
  started: (agentName = 'helper') => ({ type: 'turn-started', agentName, modelId: 'small', history: true }),
  model: (modelId = 'small') => ({ type: 'model-started', messageId: 'm', modelId }),
  tool: (callId) => ({
    ...{ type: 'tool-started', callId, toolName: 'sum', input: { a: 2 }, idempotencyKey: callId, attempt: 1 },
  }),
  settled: (callId, status = 'ok') => ({
    ...{ type: 'tool-settled', callId, toolName: 'sum', status, result: { content: [{ type: 'text', text: '4' }] } },
  }),
  ended: (outcome = { kind: 'completed' }) => ({ type: 'turn-ended', outcome, usage: {}, iterations: 0 }),
  iteration: { type: 'iteration-started', iteration: 1 },
  retry: { type: 'retry', reason: 'Busy.', delayMs: 500, discarded: 'm' },
  paused: { type: 'turn-paused', pending: [] },
}
