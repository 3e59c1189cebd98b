import { ToolError, TurnloopError, type TurnloopErrorCode } from '@turnloop/core'

/**
 * What `workerTools` throws when the worker, not the tool, is at fault: `worker-failed-to-load`, `worker-crashed` or
 * `worker-terminated`.
 *
 * Facts: `stage` is `'create'` (the factory threw), `'load'` (no script came), `'start'` (the script threw),
 * `'handshake'` or `'run'`; `url` is the script, where it is known; `toolName` is the call; `outcomeUnknown: true` says
 * that the tool had started and may or may not have taken effect. Without it the tool did not run.
 */
export class WorkerError extends TurnloopError {
  override readonly name = 'WorkerError'
}

/** Who an error is about, in words and in facts. */
export interface WorkerIdentity {
  /** For messages: `Worker "tables" (./table-tools.ts)`. */
  readonly label: string
  readonly url: string | undefined
}

/** The factory threw, or gave back no worker. */
export function createFailed(worker: WorkerIdentity, cause: unknown): WorkerError {
  // Where the CSP refuses a worker, WebKit throws at once; the others send an event.
  const isRefused = Object(cause).name === 'SecurityError'
  const repair = isRefused ? `; a CSP allows it with "worker-src 'self'"` : ''
  return failed(worker, `could not be created: ${String(cause)}${repair}`, { stage: 'create', cause })
}

/** The `error` event of a worker that is not ready yet: with a message its script threw, without one none came. */
export function loadFailed(worker: WorkerIdentity, event: Event): WorkerError {
  const { text, url = worker.url } = readErrorEvent(event)
  if (text) return failed({ ...worker, url }, `threw while it started: ${text}`, { stage: 'start' })
  return failed(
    worker,
    'failed to load: its script, or one it imports, was not found, is not served as JavaScript, or is refused by the ' +
      `page's CSP. Open its URL to see; allow it with "worker-src 'self'"; with Vite set worker: { format: 'es' }.`,
    { stage: 'load' },
  )
}

/** The worker said nothing. */
export function handshakeTimedOut(worker: WorkerIdentity, startTimeoutMs: number): WorkerError {
  return failed(
    worker,
    `did not answer within ${startTimeoutMs} ms. Its script must call serveTools() from @turnloop/worker/serve; raise ` +
      'startTimeoutMs if it needs longer until then.',
    { stage: 'handshake' },
  )
}

/** The worker speaks another version of the protocol. */
export function versionDiffers(worker: WorkerIdentity, theirs: number, ours: number): WorkerError {
  return failed(
    worker,
    `speaks protocol version ${theirs}, this page ${ours}. Build both with one version of @turnloop/worker.`,
    { stage: 'handshake' },
  )
}

/** The `error` or `messageerror` event of a worker at work. */
export function crashed(worker: WorkerIdentity, event: Event): WorkerError {
  const { text, url = worker.url } = readErrorEvent(event)
  // The other event without a message is `messageerror`: the browser could not decode what the worker sent.
  const why = text ?? `${event.type} event`
  return failed({ ...worker, url }, `crashed: ${why}. The next call starts a new one.`, {
    stage: 'run',
    code: 'worker-crashed',
  })
}

/** A worker that was ended on purpose; `why` completes the sentence. */
export function terminated(worker: WorkerIdentity, why: string): WorkerError {
  return failed(worker, `was ended ${why}.`, { stage: 'run', code: 'worker-terminated' })
}

/** The same error for one call: names its tool, and says what is known of its fate. */
export function forCall(error: WorkerError, toolName: string, fate: CallFate): WorkerError {
  return new WorkerError(error.code, `${error.message} The call of ${toolName} ${FATES[fate]}.`, {
    cause: error.cause,
    facts: { ...error.facts, toolName, outcomeUnknown: fate === 'unknown' || undefined },
  })
}

/** The error of a call that ran over its time limit; without `cause` the tool stopped of itself. */
export function timedOut(
  toolName: string,
  options: { timeoutMs: number; fate?: CallFate; cause?: unknown },
): ToolError {
  const { timeoutMs, fate, cause } = options
  const end = fate === undefined ? '' : ` It did not stop either, so its worker was ended: it ${FATES[fate]}.`
  return new ToolError('tool-timed-out', `${toolName} did not finish within ${timeoutMs} ms.${end}`, {
    cause,
    facts: { toolName, timeoutMs, outcomeUnknown: fate === 'unknown' || undefined },
  })
}

/** What is known of a call whose worker is gone. */
export type CallFate = 'not-run' | 'unfinished' | 'unknown'

const FATES: Readonly<Record<CallFate, string>> = {
  'not-run': 'was not run',
  // It only reads, so nothing can have come of it.
  unfinished: 'did not finish',
  unknown: 'may or may not have taken effect',
}

interface Failure {
  readonly stage: 'create' | 'load' | 'start' | 'handshake' | 'run'
  readonly code?: TurnloopErrorCode
  readonly cause?: unknown
}

function failed({ label, url }: WorkerIdentity, what: string, failure: Failure): WorkerError {
  const { stage, code = 'worker-failed-to-load', cause } = failure
  return new WorkerError(code, `${label} ${what}`, { cause, facts: { stage, url } })
}

function readErrorEvent(event: Event): { text?: string; url?: string } {
  // A script that did not come gives a plain event, one that threw an ErrorEvent; only fields tell them apart.
  const { message, filename, lineno }: Partial<ErrorEvent> = event
  if (!message) return {}
  return filename ? { text: `${message} (${filename}:${lineno})`, url: filename } : { text: message }
}
