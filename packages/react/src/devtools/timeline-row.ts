import { formatMs } from './format.ts'

/** What a row of the time line is about. */
export type RowKind =
  | 'iteration'
  | 'model'
  | 'tool'
  | 'wait'
  | 'hook'
  | 'check'
  | 'retry'
  | 'compaction'
  | 'checkpoint'
  | 'save'
  | 'notice'

/** A stretch of time in a turn, or a point in it. */
export interface TimelineRow {
  readonly key: string
  readonly kind: RowKind
  readonly label: string
  /** Epoch ms. The same twice for a point. */
  readonly from: number
  readonly to: number
  readonly isRunning?: true
  readonly tone?: 'warn' | 'bad'
  /** How much of the beginning it waited for the first token. */
  readonly firstTokenMs?: number | undefined
  /** In a few words, beside the bar. */
  readonly detail: string
  /** The call that it stands under. */
  readonly under?: string | undefined
  /** The call that it is. */
  readonly callId?: string
  /** 0 for an iteration, 1 for what happens in it, more below a call. */
  readonly depth: number
  /** The entries and events that it was made of. */
  readonly source: readonly unknown[]
}

/** A row before it has found its place. */
export type Draft = Omit<TimelineRow, 'depth'>

/** A row for something that has no length. */
export function point(row: Omit<Draft, 'to'>): Draft {
  return { ...row, to: row.from }
}

/** How long a row took, and what else there is to say. */
export function lasting(from: number, to: number, ...more: readonly (string | false | undefined)[]): string {
  return [formatMs(Math.max(0, to - from)), ...more].filter(Boolean).join(' · ')
}

/** The key of a model call that is no reply in the log. */
export function tryKey(messageId: string, at: number): string {
  return `${TRY}${messageId}-${at}`
}

/** Whether a row is such a call: it failed, or goes on. */
export function isTry({ key }: TimelineRow): boolean {
  return key.startsWith(TRY)
}

const TRY = 'try-'
