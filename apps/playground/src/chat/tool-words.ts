import type { CallView, JsonObject, JsonValue } from '@turnloop/core'

/** How a call stands, as one word for people. */
export type CallStateWord =
  | 'preparing'
  | 'waiting'
  | 'waits for you'
  | 'running'
  | 'done'
  | 'failed'
  | 'refused'
  | 'stopped'
  | 'outcome unknown'
  | 'not run'

const SETTLED_WORDS = {
  ok: 'done',
  error: 'failed',
  denied: 'refused',
  cancelled: 'stopped',
  unknown: 'outcome unknown',
  'not-run': 'not run',
} as const

/** The word for how a call stands. */
export function callStateWord(call: CallView): CallStateWord {
  if (call.state === 'settled') return call.result ? SETTLED_WORDS[call.result.status] : 'done'
  if (call.state === 'input-streaming') return 'preparing'
  if (call.state === 'running') return 'running'
  if (call.state === 'awaiting') return 'waits for you'
  return 'waiting'
}

/** The argument that says what a call is about, by tool. */
const SUBJECT: Readonly<Record<string, string>> = {
  describe_table: 'table',
  query_table: 'sql',
  draw_chart: 'title',
  calculate: 'expression',
  slow_count: 'to',
  save_note: 'text',
  find_notes: 'query',
  export_table: 'fileName',
  ask_user: 'question',
  run_javascript: 'code',
  ask_analyst: 'task',
}

/** What a call is about, in a few words taken from its arguments. */
export function callSubject(call: CallView): string {
  const input = callInput(call)
  if (input === undefined) return ''
  const named = input[SUBJECT[call.toolName] ?? '']
  const subject = isPlain(named) ? named : Object.values(input).find(isPlain)
  if (subject === undefined) return ''
  const text = String(subject).replace(/\s+/g, ' ').trim()
  return call.toolName === 'slow_count' ? `to ${text}` : text
}

/** The arguments a call runs with, or, before that, what the model has written of them, if it can be read. */
export function callInput(call: CallView): JsonObject | undefined {
  if (isObject(call.input)) return call.input
  try {
    const parsed: JsonValue = JSON.parse(call.inputText)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** What a running tool says of itself. */
export interface CallProgress {
  readonly label: string
  /** From 0 to 1, where it is known. */
  readonly share?: number
}

/** Read a progress update: a line of words, or words with how far it is. Anything else says nothing. */
export function callProgress(call: CallView): CallProgress | undefined {
  const update = call.progress
  // A sandbox tells all that its console has by now: the newest line of it says where it is.
  if (typeof update === 'string') return { label: update.slice(update.lastIndexOf('\n') + 1) }
  if (!isObject(update) || typeof update.label !== 'string') return undefined
  const { label, done, total } = update
  if (typeof done !== 'number' || typeof total !== 'number' || total <= 0) return { label }
  return { label, share: Math.min(1, Math.max(0, done / total)) }
}

const DOING: Readonly<Record<string, string>> = {
  describe_table: 'Looking at the table',
  query_table: 'Querying the table',
  draw_chart: 'Drawing the chart',
  calculate: 'Calculating',
  slow_count: 'Counting',
  save_note: 'Saving the note',
  find_notes: 'Looking through the notes',
  export_table: 'Saving the file',
  run_javascript: 'Running the code',
  ask_analyst: 'The analyst is at work',
}

/** What a running call is doing, as a sentence without its end: its own words where it has any. */
export function callDoing(call: CallView): string {
  return callProgress(call)?.label ?? DOING[call.toolName] ?? `Running ${call.toolName}`
}

function isPlain(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Whether a value is an object with named values. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
