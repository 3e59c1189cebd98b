import type { EntriesErased, Entry, StoredMessage } from './entries.ts'
import { deepFreeze } from './json.ts'
import type { AssistantMessage, AssistantPart, CallToolResult, Message } from './messages.ts'
import type { Outcome } from './outcome.ts'

/** What stands in the place of what was said. */
export const ERASED_TEXT = '[Erased.]'

const ERASED_PART = { type: 'text', text: ERASED_TEXT } as const
const ERASED_RESULT: CallToolResult = { content: [ERASED_PART] }

/** The known entries that an erasure changes, as they are from then on. */
export function tombstonesOf(erasure: EntriesErased, entries: readonly Entry[]): ReadonlyMap<number, Entry> {
  const sequences = new Set(erasure.sequences)
  const changed = entries.filter((entry) => sequences.has(entry.sequence) && entry.erased !== true)
  return new Map(changed.map((entry) => [entry.sequence, tombstoneOf(entry, erasure)]))
}

/** What the erasures among these entries leave of the entries before them: what a store does not have yet. */
export function erasedBefore(entries: readonly Entry[], at: (sequence: number) => Entry | undefined): Entry[] {
  const first = entries[0]?.sequence ?? 0
  return entries.flatMap((erasure) =>
    erasure.type !== 'erased'
      ? []
      : erasure.sequences.flatMap((sequence) => {
          const entry = sequence < first ? at(sequence) : undefined
          if (entry === undefined) return []
          return entry.erased ? [entry] : [tombstoneOf(entry, erasure)]
        }),
  )
}

/**
 * What is left of an entry: its place, its ids and what pairs it with others, so that the history stays one that every
 * provider takes; nothing that anybody said.
 */
function tombstoneOf(entry: Entry, { ids, voided }: Pick<EntriesErased, 'ids' | 'voided'>): Entry {
  return deepFreeze({ ...withoutWords(entry, { ids, voided }), erased: true })
}

function withoutWords(entry: Entry, { ids, voided }: Pick<EntriesErased, 'ids' | 'voided'>): Entry {
  switch (entry.type) {
    case 'message': {
      const { rejected: _rejected, ends: _ends, ...rest } = entry
      return { ...rest, message: blankStored(entry.message) }
    }
    case 'note': {
      const { data: _data, ...note } = entry.message
      return { ...entry, message: { ...note, content: [ERASED_PART] } }
    }
    case 'tool-started': {
      const { modelInput: _modelInput, ...rest } = entry
      return { ...rest, input: {} }
    }
    case 'tool-settled': {
      const { feedback: _feedback, ends: _ends, ...rest } = entry
      return { ...rest, result: blankResult(entry.result) }
    }
    case 'approval-requested':
      return { ...entry, input: {} }
    case 'approval-decided': {
      const { input: _input, result: _result, note: _note, ...rest } = entry
      return rest
    }
    case 'turn-paused':
      return { ...entry, pending: entry.pending.map((request) => ({ ...request, input: {} })) }
    case 'turn-ended': {
      const { output: _output, hookErrors: _hookErrors, evals: _evals, ...rest } = entry
      return { ...rest, outcome: blankOutcome(entry.outcome) }
    }
    case 'session-changed': {
      const { title: _title, ...rest } = entry
      return rest
    }
    case 'overlay': {
      // What it hid shows again, without what was erased: a summary may tell of it.
      if (voided.includes(entry.sequence)) return { ...entry, hides: [], shows: [] }
      return { ...entry, shows: entry.shows.map((message) => (isTold(message, ids) ? blankMessage(message) : message)) }
    }
    default:
      return entry
  }
}

/** Whether a message that an overlay shows is the erased one, or tells of it. */
function isTold(message: Message, ids: readonly string[]): boolean {
  return ids.includes(message.id) || (message.role === 'user' && message.synthetic === 'summary')
}

function blankStored(message: StoredMessage): StoredMessage {
  if (message.role !== 'tool') return blankMessage(message)
  const calls = message.calls.map(({ callId, result }) =>
    result === undefined ? { callId } : { callId, result: blankResult(result) },
  )
  return { ...message, calls }
}

function blankMessage<T extends Message>(message: T): T
function blankMessage(message: Message): Message {
  switch (message.role) {
    case 'user': {
      const { data: _data, ...rest } = message
      return { ...rest, content: [ERASED_PART] }
    }
    case 'assistant': {
      const { providerMetadata: _metadata, ...rest } = message
      return { ...rest, content: blankParts(message) }
    }
    case 'tool':
      return {
        ...message,
        results: message.results.map((told) => ({ ...told, result: blankResult(told.result) })),
      }
  }
}

function blankParts({ content }: AssistantMessage): readonly AssistantPart[] {
  const kept = content.flatMap((part): AssistantPart[] => {
    const { providerMetadata: _metadata, ...rest } = part
    if (rest.type === 'tool-call') return [{ ...rest, inputText: '{}' }]
    if (rest.type === 'provider-result') return [{ ...rest, result: ERASED_TEXT }]
    return rest.type === 'provider-approval' ? [rest] : []
  })
  return [ERASED_PART, ...kept]
}

function blankResult({ isError }: CallToolResult): CallToolResult {
  return isError === undefined ? ERASED_RESULT : { ...ERASED_RESULT, isError }
}

function blankOutcome(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'cancelled': {
      const { input: _input, ...rest } = outcome
      return rest
    }
    case 'blocked': {
      const { message: _message, data: _data, ...rest } = outcome
      return rest
    }
    case 'failed': {
      const { name, code } = outcome.error
      return { kind: 'failed', error: { name, code, message: ERASED_TEXT } }
    }
    default:
      return outcome
  }
}
