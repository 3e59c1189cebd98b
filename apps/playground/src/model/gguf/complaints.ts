import type { WllamaLogger } from '@wllama/wllama'

/** What the engine says is wrong. It writes that to a log, and to its caller only that something is. */
export interface Complaints {
  readonly logger: WllamaLogger
  /** The first complaint since the last `clear`, which is nearest to the cause; `''` if there is none. */
  first(): string
  clear(): void
}

/** No graphics card is no fault. */
const NO_CARD = /webgpu/i
const STACK = /^Stack trace/
const TROUBLE = /error|fail|memory|exceed/i
/** The names of functions, which nobody can read. */
const WHERE = /^(?:[\w]+: |error loading model: )+/

/** Listen to an engine. It has much to say that is only of interest to those who make it. */
export function createComplaints(): Complaints {
  let first = ''
  const note = (...said: unknown[]): void => {
    const text = said
      .filter((part) => typeof part === 'string')
      .join(' ')
      .trim()
    if (first === '' && TROUBLE.test(text) && !NO_CARD.test(text) && !STACK.test(text)) first = text.replace(WHERE, '')
  }
  return {
    logger: { debug: () => {}, log: note, warn: note, error: note },
    first: () => first,
    clear: () => {
      first = ''
    },
  }
}
