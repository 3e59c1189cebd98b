import type { Clock } from '@turnloop/core'
import { PROTOCOL_VERSION, readMessage, type ToolDescriptor, type ToPage, type ToWorker } from './protocol.ts'
import {
  crashed,
  createFailed,
  handshakeTimedOut,
  loadFailed,
  versionDiffers,
  type WorkerError,
  type WorkerIdentity,
} from './worker-error.ts'

/** What is used of a `Worker`. Anything of this shape will do. */
export interface ToolWorker {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  addEventListener(type: 'error' | 'messageerror', listener: (event: Event) => void): void
  terminate(): void
}

/** One worker, from its creation to its end. */
export interface WorkerLink {
  /** The tools it announced. Rejects with a `WorkerError` if it fails to load, or is ended before. */
  readonly ready: Promise<readonly ToolDescriptor[]>
  post(message: ToWorker): void
  /** Terminate the worker; nothing is heard of it any more. `error` goes to those who wait for `ready`. */
  end(error: WorkerError): void
}

/** What a link needs. */
export interface LinkOptions {
  readonly factory: () => ToolWorker
  readonly identity: WorkerIdentity
  readonly startTimeoutMs: number
  readonly clock: Clock
  onMessage(message: ToPage): void
  /** It broke after it was ready, and has been ended already. */
  onCrash(error: WorkerError): void
}

/** Create a worker and shake hands with it. Never throws: what goes wrong comes out of `ready` or `onCrash`. */
export function openLink(options: LinkOptions): WorkerLink {
  const { identity, startTimeoutMs } = options
  let state: 'starting' | 'ready' | 'ended' = 'starting'
  let worker: ToolWorker | undefined
  let resolveReady: (tools: readonly ToolDescriptor[]) => void = () => {}
  let rejectReady: (error: WorkerError) => void = () => {}
  const ready = new Promise<readonly ToolDescriptor[]>((resolve, reject) => {
    resolveReady = resolve
    rejectReady = reject
  })

  const end = (error: WorkerError): void => {
    state = 'ended'
    stopTimer()
    worker?.terminate()
    rejectReady(error)
  }
  const hear = (message: ToPage): void => {
    if (state === 'ready') options.onMessage(message)
    if (state !== 'starting' || message.kind !== 'turnloop:ready') return
    if (message.version === PROTOCOL_VERSION) {
      state = 'ready'
      stopTimer()
      resolveReady(message.tools)
    } else end(versionDiffers(identity, message.version, PROTOCOL_VERSION))
  }
  const fail = (event: Event): void => {
    // Unless it is claimed here, a worker's error is reported once more, as an uncaught error of the page.
    event.preventDefault()
    if (state === 'starting') end(loadFailed(identity, event))
    if (state !== 'ready') return
    const error = crashed(identity, event)
    end(error)
    options.onCrash(error)
  }

  const stopTimer = options.clock.setTimer(() => end(handshakeTimedOut(identity, startTimeoutMs)), startTimeoutMs)
  try {
    worker = options.factory()
    if (typeof worker?.addEventListener !== 'function') throw new TypeError('the factory gave back no Worker')
    worker.addEventListener('message', (event) => {
      const message = readMessage<ToPage>(event.data)
      if (message) hear(message)
    })
    worker.addEventListener('error', fail)
    worker.addEventListener('messageerror', fail)
    worker.postMessage({ kind: 'turnloop:hello', version: PROTOCOL_VERSION } satisfies ToWorker)
  } catch (cause) {
    worker = undefined
    end(createFailed(identity, cause))
  }
  return { ready, post: (message) => worker?.postMessage(message), end }
}
