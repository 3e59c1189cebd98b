import { type AgentOptions, createAgent, type Session, type Snapshot } from '@turnloop/core'
import {
  type ManualClock,
  type MemoryTab,
  type MemoryTabs,
  manualClock,
  memoryTabs,
  type Script,
  type ScriptedModel,
  scriptedModel,
} from '@turnloop/testing'
import { onTestFinished } from 'vitest'
import { type ConnectedHost, connectSession } from '../src/connect-session.ts'
import type { DedicatedHost } from '../src/host-link.ts'
import { type HostSessionOptions, hostSession } from '../src/host-session.ts'
import type { LifeLocks } from '../src/life-lock.ts'

/** One worker, in this process. */
export interface FakeHost {
  readonly tab: MemoryTab
  readonly model: ScriptedModel
  readonly isTerminated: boolean
  /** Drives its timers where `isTimed`. */
  readonly clock: ManualClock
  /** It never comes back from what it does. */
  hang(): void
  /** What the browser does when it runs out of memory: nobody is told. */
  crash(): void
}

/** A page whose sessions are driven by workers. */
export interface HostedPage {
  readonly host: ConnectedHost
  readonly tab: MemoryTab
  readonly clock: ManualClock
  /** The workers that were started for it, oldest first. */
  readonly workers: readonly FakeHost[]
}

/** How a page and its workers are made. */
export interface HostingOptions {
  script?: Script
  agent?: Partial<AgentOptions>
  host?: Partial<HostSessionOptions>
  restart?: boolean
  /** Workers go by clocks of their own, and not by the machine's. */
  isTimed?: boolean
  browser?: MemoryTabs
  /** What the worker does instead of calling `hostSession`. */
  run?(port: MessagePort): void
}

/** Open a page with workers of its own, in a browser with others. */
export function openHosted(options: HostingOptions = {}): HostedPage {
  const { browser = memoryTabs(), restart } = options
  const clock = manualClock()
  const tab = browser.open()
  const workers: FakeHost[] = []
  const factory = (): DedicatedHost => {
    const { worker, fake } = startWorker(browser, options)
    workers.push(fake)
    return worker
  }
  const host = connectSession(factory, {
    store: tab.store,
    clock,
    locks: locksOf(tab),
    ...(restart !== undefined && { restart }),
  })
  return { host, tab, clock, workers }
}

function startWorker(
  browser: MemoryTabs,
  { script = ['Said in the worker.'], agent, host, run, isTimed }: HostingOptions,
): { worker: DedicatedHost; fake: FakeHost } {
  const tab = browser.open()
  const { port1, port2 } = new MessageChannel()
  const clock = manualClock()
  let isTerminated = false
  let isHung = false
  const crash = (): void => {
    tab.crash()
    port2.close()
  }
  onTestFinished(crash)
  const model = scriptedModel(script)
  const locks = locksOf(tab)
  if (run === undefined)
    hostSession({
      agent: createAgent({ model, ...(isTimed && { clock }), ...agent }),
      store: tab.store,
      port: port2,
      locks,
      ...host,
    })
  else run(port2)
  port1.start()
  const worker: DedicatedHost = {
    postMessage: (message) => {
      if (!isHung) port1.postMessage(message)
    },
    // A port has no `error`; nothing here fails to load.
    addEventListener: (type: string, listener: (event: MessageEvent) => void) => {
      if (type === 'message') port1.addEventListener('message', listener)
    },
    terminate() {
      isTerminated = true
      crash()
    },
  }
  const fake = {
    tab,
    model,
    crash,
    clock,
    hang() {
      isHung = true
      tab.freeze()
    },
    get isTerminated() {
      return isTerminated
    },
  }
  return { worker, fake }
}

/** The locks of a page, as far as lives go. */
export function locksOf({ store }: MemoryTab): LifeLocks {
  const request = async (
    name: string,
    given: { signal?: AbortSignal } | (() => unknown),
    callback?: () => unknown,
  ): Promise<unknown> => {
    const run = typeof given === 'function' ? given : callback
    const signal = typeof given === 'function' ? undefined : given.signal
    const lease = await store.lock.acquire(name, signal ? { signal } : {})
    await run?.()
    lease?.release()
    return undefined
  }
  // The rest of what a browser's can do is not used.
  return { request: request as LockManager['request'] }
}

/** Resolves with the first snapshot, this one included, that passes. */
export function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  return new Promise((resolve) => {
    let stop = (): void => {}
    const look = (): void => {
      const snapshot = session.getSnapshot()
      if (!passes(snapshot)) return
      stop()
      resolve(snapshot)
    }
    stop = session.subscribe(look)
    look()
  })
}

/** Resolves once so many pages and workers have said that they have a session open no longer. */
export function goodbyes(browser: MemoryTabs, sessionId: string, count: number): Promise<void> {
  const gone = new Set<string>()
  return new Promise((resolve) => {
    browser.open().store.channel.join(
      sessionId,
      (message) => {
        // What is said here is the session's own protocol.
        const { kind, from } = message as { kind: string; from: string }
        if (kind === 'bye' && gone.add(from).size === count) resolve()
      },
      'watch',
    )
  })
}

/** The text of the reply that grows. */
export function growing({ open }: Snapshot): string {
  return (open?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}
