import type { AssistantMessage, AssistantPart, Message, StopReason, ToolMessage, UserMessage } from '@turnloop/core'
import fc from 'fast-check'
import { planCompaction } from '../src/compaction-plan.ts'
import { summaryMessage } from '../src/summary-request.ts'
import { EMPTY_SOURCE, historyItems, type LoggedMessage, type TranscriptSource } from '../src/transcript.ts'

export function user(id: string, text = `Question ${id}?`, synthetic?: UserMessage['synthetic']): UserMessage {
  const content = [{ type: 'text', text }] as const
  return { id, role: 'user', createdAt: 0, content, ...(synthetic && { synthetic }) }
}

export function picture(id: string): UserMessage {
  const image = {
    type: 'file',
    mediaType: 'image/png',
    data: { base64: 'iVBORw0KGgo=' },
    filename: `${id}.png`,
  } as const
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Look.' }, image] }
}

export function reply(
  id: string,
  parts: readonly AssistantPart[] | string,
  stopReason: StopReason = 'endTurn',
): AssistantMessage {
  const content = typeof parts === 'string' ? [{ type: 'text', text: parts } as const] : parts
  return { id, role: 'assistant', createdAt: 0, content, stopReason }
}

/** A reply that makes `count` calls at once, and their results. */
export function batch(id: string, count = 1, resultText = 'found'): [AssistantMessage, ToolMessage] {
  const calls = Array.from({ length: count }, (_, place) => call(`${id}-${place}`))
  const results = calls.map(({ callId, toolName }) => ({
    ...{ callId, toolName, status: 'ok' as const, result: { content: [{ type: 'text' as const, text: resultText }] } },
  }))
  return [reply(id, calls, 'toolUse'), { id: `${id}r`, role: 'tool', createdAt: 0, results }]
}

function call(callId: string): Extract<AssistantPart, { type: 'tool-call' }> {
  return { type: 'tool-call', callId, wireId: callId, toolName: 'search', inputText: '{"query":"rows"}' }
}

/** The calls of the provider itself, answered in the message after. */
function paused(id: string): Message[] {
  const search = { ...call(`${id}-s`), providerExecuted: true } as const
  const result = {
    type: 'provider-result',
    callId: search.callId,
    wireId: search.wireId,
    toolName: 'search',
    result: [],
  } as const
  return [reply(id, [search], 'pause'), reply(`${id}b`, [result, { type: 'text', text: 'There.' }])]
}

/** Calls of both kinds at once: the provider answers its own only after the loop has answered the other. */
function mixed(id: string): Message[] {
  const [asked, later] = paused(id)
  const [calling, answer] = batch(id)
  if (asked?.role !== 'assistant' || later === undefined) return []
  return [{ ...calling, content: [...asked.content, ...calling.content] }, answer, later]
}

export function ids(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ')
}

export function overlayTo(
  source: TranscriptSource,
  hides: readonly (readonly [number, number])[],
  shows: readonly Message[],
): TranscriptSource {
  const at = nextSequence(source)
  return { ...source, overlays: [...source.overlays, { id: `o${at}`, at, hides, shows }] }
}

export function nextSequence(source: TranscriptSource): number {
  return 1 + Math.max(0, source.messages.at(-1)?.sequence ?? 0, ...source.overlays.map(({ at }) => at))
}

/** Compact as the loop does it; a source that has nothing to hide comes back as it is. */
export function compact(
  source: TranscriptSource,
  limits: { turnStart: number; budgetTokens: number },
): TranscriptSource {
  const plan = planCompaction(historyItems(source), limits)
  if (plan === undefined) return source
  const id = `sum${nextSequence(source)}`
  return overlayTo(source, plan.hides, [summaryMessage('Goals: rows.', { id, createdAt: 0 })])
}

type Step = 'text' | 'batch' | 'wide-batch' | 'picture' | 'steer' | 'nudge' | 'pause' | 'mixed' | 'retract' | 'compact'

const steps = fc.array(
  fc.constantFrom<Step[]>(
    'text',
    'batch',
    'wide-batch',
    'picture',
    'steer',
    'nudge',
    'pause',
    'mixed',
    'retract',
    'compact',
  ),
  { maxLength: 8 },
)
const turns = fc.array(
  fc.record({
    steps,
    aside: fc.constantFrom('no', 'no', 'no', 'detached', 'blocked'),
    gap: fc.nat(3),
    room: fc.integer({ min: 0, max: 600 }),
  }),
  { minLength: 1, maxLength: 6 },
)

/** A log as turns leave it, compacted and retracted on the way; with where its last turn began. */
export const logs: fc.Arbitrary<{ source: TranscriptSource; lastTurn: number; starts: readonly number[] }> = turns.map(
  (given) => {
    const starts: number[] = []
    let source: TranscriptSource = EMPTY_SOURCE
    for (const [turn, { steps, aside, gap, room }] of given.entries()) {
      const start = nextSequence(source) + gap
      starts.push(start)
      const flags = {
        ...(aside === 'detached' && { detached: true as const }),
        ...(aside === 'blocked' && { blocked: true as const }),
      }
      const add = (...messages: Message[]): void => {
        for (const message of messages)
          source = { ...source, messages: [...source.messages, next(source, message, { gap, start, flags })] }
      }
      add(user(`u${turn}`, 'Please. '.repeat(1 + gap * 20)))
      if (aside === 'blocked') continue
      for (const [place, step] of steps.entries()) {
        const id = `m${turn}-${place}`
        if (step === 'compact') source = compact(source, { turnStart: start, budgetTokens: room })
        else if (step === 'retract') source = retract(source, { id, place: place * 2 })
        else add(...messagesOf(step, id))
      }
    }
    return { source, lastTurn: starts.at(-1) ?? 1, starts }
  },
)

function next(
  source: TranscriptSource,
  message: Message,
  { gap, start, flags }: { gap: number; start: number; flags: Partial<LoggedMessage> },
): LoggedMessage {
  return { sequence: Math.max(start, nextSequence(source) + gap), message, ...flags }
}

function messagesOf(step: Exclude<Step, 'retract' | 'compact'>, id: string): Message[] {
  switch (step) {
    case 'batch':
      return batch(id)
    case 'wide-batch':
      return batch(id, 3, 'a long result '.repeat(20))
    case 'picture':
      return [picture(id)]
    case 'steer':
      return [user(id)]
    case 'nudge':
      return [reply(id, 'I will.', 'other'), user(`${id}n`, 'Do it.', 'nudge'), reply(`${id}b`, 'Done.')]
    case 'pause':
      return paused(id)
    case 'mixed':
      return mixed(id)
    default:
      return [reply(id, 'An answer of some words. '.repeat(id.length))]
  }
}

/** Something that was said is replaced, hidden or not, as by a guardrail that found out late. */
function retract(source: TranscriptSource, { id, place }: { id: string; place: number }): TranscriptSource {
  const candidates = source.messages.filter(({ message, ...flags }) => {
    const isAside = flags.detached || flags.blocked
    return !isAside && message.role === 'assistant' && message.stopReason === 'endTurn' && message.content.length === 1
  })
  const target = candidates[place % candidates.length]
  return target ? overlayTo(source, [[target.sequence, target.sequence]], [reply(id, 'Withdrawn.')]) : source
}
