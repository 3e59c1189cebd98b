import { hasMethods, isDelay, isName, isObject, isOneOf, isSwitch, type OptionRules } from './check-options.ts'
import type { OpenSessionOptions, SendOptions, Session } from './session.ts'

/** What a host's answer may be large, as a tool's. */
export const ANSWER_BYTES = 200_000

/** How many messages `loadEarlier` shows. */
export const EARLIER = 50

/** Options of `close`. */
export type CloseOptions = NonNullable<Parameters<Session['close']>[0]>

/** What `close` takes. */
export const CLOSE_RULES: OptionRules<CloseOptions> = { running: isOneOf('finish', 'cancel', 'leave') }

/** What `openSession` takes. */
export const OPEN_RULES: OptionRules<OpenSessionOptions> = {
  agent: (value) => (hasMethods(value, 'parts') ? undefined : 'must be an agent: make one with createAgent'),
  id: isName,
  store: (value) => (hasMethods(value, 'claim', 'append', 'read') ? undefined : 'must be a SessionStore'),
  lock: (value) => (hasMethods(value, 'acquire') ? undefined : 'must be a SessionLock'),
  channel: (value) => (hasMethods(value, 'join') ? undefined : 'must be a SessionChannel'),
  resume: isOneOf('auto', 'manual'),
  onUnknownOutcome: isOneOf('report', 'ask'),
  saveTimeoutMs: isDelay(0),
  makeRoom: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
}

/** What `send` takes. */
export const SEND_RULES: OptionRules<SendOptions> = {
  signal: (value) => (hasMethods(value, 'addEventListener') ? undefined : 'must be an AbortSignal'),
  whenBusy: isOneOf('queue', 'steer', 'replace', 'reject'),
  reject: isOneOf('never', 'blocked', 'not-completed'),
  turnId: isName,
  userId: isName,
  debug: isSwitch,
  metadata: isObject,
  state: isObject,
  stateMode: isOneOf('merge', 'overwrite'),
  extra: isObject,
}
