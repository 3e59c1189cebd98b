import type { Tool } from '@turnloop/core'
import { onTestFinished } from 'vitest'
import type { ToPage, ToWorker } from '../src/protocol.ts'
import { type ServeOptions, serveTools } from '../src/serve-tools.ts'

/** The far end of a served worker, message by message. */
export interface Served {
  post(message: ToWorker | object): void
  /** The next message, in order; waits for it. */
  next(): Promise<ToPage>
  /** What the worker says until all that was posted before has been heard. */
  rest(): Promise<readonly ToPage[]>
  /** Post a call that is to run, and read that it was checked. */
  call(toolName: string, input?: object): Promise<void>
}

/** Serve tools over a MessageChannel and speak the protocol by hand; the announcement has been read already. */
export async function served(tools: readonly Tool[], options: ServeOptions = {}): Promise<Served> {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const arrived: ToPage[] = []
  let wake = (): void => {}
  // Only the code under test posts here.
  port1.onmessage = ({ data }) => {
    arrived.push(data as ToPage)
    wake()
  }
  const next = async (): Promise<ToPage> => {
    for (;;) {
      const message = arrived.shift()
      if (message) return message
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const post = (message: ToWorker | object): void => port1.postMessage(message)
  serveTools(tools, { port: port2, ...options })
  port2.start()
  await next()
  return {
    post,
    next,
    async rest() {
      // A tool that is not there is answered at once.
      post({ kind: 'turnloop:call', id: -1, toolName: 'none', input: {}, context: {}, run: true })
      const heard: ToPage[] = []
      for (;;) {
        const message = await next()
        if ('id' in message && message.id === -1) return heard
        heard.push(message)
      }
    },
    async call(toolName, input = {}) {
      const context = {
        callId: 'call-1',
        idempotencyKey: 'key-1',
        turnId: 'turn-1',
        sessionId: 'session-1',
        state: { topic: 'tables' },
        metadata: { tab: 2 },
      }
      post({ kind: 'turnloop:call', id: 1, toolName, input, context, run: true })
      await next()
    },
  }
}
