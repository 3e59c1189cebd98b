import { systemClock, type Tool } from '@turnloop/core'
import { type ServePort, serveTools } from '../src/serve-tools.ts'
import type { ToolWorker } from '../src/worker-link.ts'

/** A stand-in for a Worker: tools served in this thread, behind a real MessageChannel. */
export interface ChannelWorker extends ToolWorker {
  readonly terminated: boolean
  /** What the page has posted, by kind, in order. */
  readonly posted: string[]
  /** Resolves when the page next posts a message of that kind. */
  nextPosted(kind: string): Promise<void>
  /** From now on the worker's event loop stands still, as in `while (true)`: what is posted waits. */
  block(): void
  /** The loop turns again. */
  unblock(): void
  /** Let an event of the Worker object happen. */
  emit(type: 'error' | 'messageerror', fields?: object): Event
}

/** Serve `tools`; an array of messages instead plays a worker that says just these when it starts. */
export function channelWorker(tools: readonly Tool[] | { says: readonly unknown[] }): ChannelWorker {
  const { port1: page, port2: worker } = new MessageChannel()
  const target = new EventTarget()
  const state = { terminated: false }
  const gate = eventGate()
  const posted: string[] = []
  page.addEventListener('message', ({ data }) => {
    if (!state.terminated) target.dispatchEvent(new MessageEvent('message', { data }))
  })
  page.start()
  if ('says' in tools) for (const message of tools.says) worker.postMessage(message)
  else serveTools(tools, { port: gate.guard(worker), clock: systemClock })
  worker.start()
  return {
    posted,
    get terminated() {
      return state.terminated
    },
    postMessage(message) {
      page.postMessage(message)
      // Everything the page posts is a message of the protocol.
      const kind = (message as { kind: string }).kind.replace('turnloop:', '')
      posted.push(kind)
      target.dispatchEvent(new Event(`posted-${kind}`))
    },
    addEventListener: (type: string, listener: (event: MessageEvent) => void) => {
      // Only `message` events are dispatched as MessageEvent; the listeners of others take any event.
      target.addEventListener(type, listener as EventListener)
    },
    terminate() {
      state.terminated = true
      page.close()
    },
    nextPosted: (kind) =>
      new Promise((resolve) => target.addEventListener(`posted-${kind}`, () => resolve(), { once: true })),
    block: gate.close,
    unblock: gate.open,
    emit(type, fields = {}) {
      const event = Object.assign(new Event(type, { cancelable: true }), fields)
      target.dispatchEvent(event)
      return event
    },
  }
}

/** Holds back the message events of a port while it is closed. */
function eventGate() {
  let held: (() => void)[] | undefined
  return {
    close: (): void => {
      held ??= []
    },
    open: (): void => {
      const deliveries = held ?? []
      held = undefined
      for (const deliver of deliveries) deliver()
    },
    guard: (port: MessagePort): ServePort => ({
      postMessage: (message, transfer) => port.postMessage(message, transfer),
      addEventListener: (type, listener) => {
        port.addEventListener(type, (event) => {
          if (held) held.push(() => listener(event))
          else listener(event)
        })
      },
    }),
  }
}
