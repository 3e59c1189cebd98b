import type { BrowserMessage, BrowserModelApi, BrowserSession, CreateOptions } from '../src/model/browser-model-api.ts'

/** What the fake was asked. */
export interface FakeAsk {
  readonly before: readonly BrowserMessage[]
  readonly last: readonly BrowserMessage[]
  readonly constraint: unknown
}

export interface FakeBrowserModel extends BrowserModelApi {
  readonly asked: readonly FakeAsk[]
  /** Sessions that were made and not closed. */
  readonly open: number
}

/** A browser's model that gives these replies in turn, in pieces of four characters; `undefined` never ends. */
export function fakeBrowserModel(
  replies: readonly (string | undefined)[],
  options: { onCreate?: (options: CreateOptions | undefined) => void } = {},
): FakeBrowserModel {
  const asked: FakeAsk[] = []
  let open = 0
  return {
    asked,
    get open() {
      return open
    },
    availability: () => Promise.resolve('available'),
    create: async (create) => {
      options.onCreate?.(create)
      open += 1
      const session: BrowserSession = {
        contextWindow: 6000,
        contextUsage: 42,
        promptStreaming: (last, { responseConstraint, signal }) => {
          const reply = replies[asked.length]
          asked.push({ before: create?.initialPrompts ?? [], last, constraint: responseConstraint })
          return streamOf(reply, signal)
        },
        destroy: () => {
          open -= 1
        },
      }
      return session
    },
  }
}

function streamOf(reply: string | undefined, signal: AbortSignal | undefined): ReadableStream<string> {
  return new ReadableStream({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason))
      for (const piece of (reply ?? 'Once upon a time').match(/[\s\S]{1,4}/g) ?? []) controller.enqueue(piece)
      if (reply !== undefined) controller.close()
    },
  })
}
