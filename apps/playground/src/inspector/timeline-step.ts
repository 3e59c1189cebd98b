/** A stretch of time in a turn, or, without an end, one that goes on; a checkpoint is a point. */
export interface TimelineRow {
  readonly key: string
  readonly kind: 'start' | 'model' | 'tool' | 'wait' | 'hook' | 'checkpoint'
  readonly label: string
  /** Ms after the turn began. */
  readonly fromMs: number
  readonly toMs: number
  readonly isRunning: boolean
  readonly tone: 'plain' | 'bad' | 'warn'
  /** What it did and how long that took, where a bar would tell too little. */
  readonly detail?: string
  /** The key of the row that it belongs under. */
  readonly parent?: string
  /** The call that it is about. */
  readonly callId?: string
  /** The place in the log of what it tells. */
  readonly sequence?: number
  /** It is a checkpoint that one can go to or branch from: no call is left without its answer there. */
  readonly isPlace?: true
  /** Names and values to show when the row is selected. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** The place in the conversation that it belongs to. */
  readonly anchor?: string
}

/** One model call with the tools it asked for; or what hooks did before the first and after the last. */
export interface TimelineStep {
  /** Their order. Model calls count from 1. */
  readonly number: number
  readonly label: string
  readonly rows: readonly TimelineRow[]
}

/** A time as it stands among the facts of a row. */
export function factMs(value: number | undefined): string {
  return value === undefined ? '' : `${Math.round(value).toLocaleString('en')} ms`
}

/** Facts without those that are not known. */
export function knownFacts(
  facts: readonly (readonly [name: string, value: string | undefined])[],
): TimelineRow['facts'] {
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]))
}
