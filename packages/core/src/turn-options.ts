import type { Entry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import type { JsonObject } from './json.ts'
import type { RejectOn } from './turn-result.ts'

/** Options of one turn. */
export interface TurnOptions {
  /** Stop. Aborting it, before, during or after, is always safe. */
  signal?: AbortSignal
  turnId?: string
  /** `false`: the model sees this turn's own messages only. */
  history?: boolean
  /** Whose turn it is; hooks see it. */
  userId?: string
  /** Over the agent's own. */
  debug?: boolean
  /** For hooks and tools of this turn alone: never stored. Plain JSON. */
  metadata?: JsonObject
  /** What the turn brings to the session's state; merges, or replaces it with `stateMode: 'overwrite'`. Plain JSON. */
  state?: JsonObject
  stateMode?: 'merge' | 'overwrite'
  /** What hooks are to find under `extra`, untouched. */
  extra?: object
  /** How many agents deep this one runs. For agents that hooks run. */
  depth?: number
  /** When `untilDone()` rejects. Default `'never'`: an end is data. The message view throws for `failed` by itself. */
  reject?: RejectOn
  /** Hears every event, stored or not; not waited for. The first thing it throws, or rejects with, becomes a `warning`. */
  onEvent?(event: TurnEvent): void
}

/** What of a turn's options its hooks and tools are told. */
export type TurnFacts = Pick<TurnOptions, 'userId' | 'debug' | 'metadata' | 'state' | 'stateMode' | 'extra' | 'depth'>

/** What a runner needs that is not the caller's business: how it was started. */
export interface RunOrigin {
  /** Entries of a turn that was cut, to go on with. */
  readonly log?: readonly Entry[]
  readonly retryOf?: string
  /** What has joined that log since its last run. */
  readonly news?: readonly Entry[]
}
