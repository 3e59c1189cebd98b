import { type Agent, createAgent, type Model, type ModelEvent, messageText, tool } from '@turnloop/core'

/** The database that all tabs and workers of the suite share; its sessions have names of their own. */
export const DATABASE = 'tab-suite'

/** What happens where the driver lives, as told to the page that counts. */
export interface Report {
  readonly kind: 'asked' | 'ended' | 'paid'
  /** The question, with what it is asked again for, or the key of the call. */
  readonly what: string
}

/**
 * An agent whose model goes by the first word of the question: `say` answers at once, `hold` says three words and waits until its
 * gate is opened, `pay` asks for a tool that somebody has to allow.
 */
export function createTabAgent(): Agent {
  const reports = new BroadcastChannel(REPORTS)
  const gates = new BroadcastChannel(GATES)
  const report = (told: Report): void => reports.postMessage(told)
  const pay = tool({
    name: 'pay',
    description: 'Pay.',
    needsApproval: true,
    execute: (_input, { idempotencyKey }) => {
      report({ kind: 'paid', what: idempotencyKey })
      return 'paid'
    },
  })
  const model: Model = {
    provider: 'suite',
    modelId: 'words',
    async *stream({ messages }, { signal }) {
      const asked = messages.flatMap((message) => (message.role === 'user' ? [messageText(message)] : []))
      const question = asked.at(-1) ?? ''
      const isSettled = messages.at(-1)?.role === 'tool'
      const what = isSettled ? `${question}, settled` : question
      report({ kind: 'asked', what })
      try {
        yield* isSettled ? words('Settled.') : reply(question, asked.length)
      } finally {
        report({ kind: 'ended', what })
      }

      async function* reply(text: string, count: number): AsyncGenerator<ModelEvent> {
        if (text.startsWith('pay')) return yield* call
        if (!text.startsWith('hold')) return yield* words(`Said ${count}.`)
        yield* words('One two three').slice(0, -2)
        await opened(text, signal)
        yield* words('').slice(-2)
      }
    },
  }

  /** Resolves when somebody opens the gate of a question; rejects on abort. */
  function opened(question: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const hear = ({ data }: MessageEvent): void => {
        if (data === question) resolve()
      }
      gates.addEventListener('message', hear)
      signal.addEventListener('abort', () => reject(signal.reason))
      gates.postMessage({ asksFor: question })
    })
  }
  return createAgent({ model, tools: [pay] })
}

export const REPORTS = 'tab-suite-reports'
export const GATES = 'tab-suite-gates'

/** The events of a text, word by word. */
function words(text: string): ModelEvent[] {
  const deltas = text.match(/\s*\S+/g) ?? []
  return [
    { type: 'started' },
    { type: 'text-start', id: 't' },
    ...deltas.map((delta): ModelEvent => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', stopReason: 'endTurn', usage: {} },
  ]
}

const call: readonly ModelEvent[] = [
  { type: 'started' },
  { type: 'tool-call', id: 'c', toolName: 'pay', inputText: '{}' },
  { type: 'finish', stopReason: 'toolUse', usage: {} },
]
