import {
  type Agent,
  type PendingRequest,
  type ResumedTurn,
  type TurnEvent,
  TurnloopError,
  type TurnResult,
} from '@turnloop/core'
import type { UIMessage } from 'ai'
import type { ChunkReader } from './chunk-stream.ts'
import { fromUIMessages } from './from-ui-messages.ts'
import type { Chunk } from './step-chunks.ts'
import { toUIMessages } from './to-ui-messages.ts'
import { TurnChunks } from './turn-chunks.ts'
import { decisionsIn } from './ui-decisions.ts'

/** A turn that waits for people, and how its message was streamed so far. */
interface Paused {
  readonly chunks: TurnChunks
  readonly pending: readonly PendingRequest[]
  readonly resume: NonNullable<TurnResult['resume']>
}

/** Turns without a session: the page's own messages are the conversation, and each request asks about all of them. */
export class AgentTurns {
  readonly #agent: Agent
  /** By chat, for as long as the page lives. */
  readonly #paused = new Map<string, Paused>()

  constructor(agent: Agent) {
    this.#agent = agent
  }

  /** Throws `bad-input` for messages that cannot be asked about. */
  send(chatId: string, messages: readonly UIMessage[], signal: AbortSignal | undefined): ChunkReader {
    const paused = this.#paused.get(chatId)
    this.#paused.delete(chatId)
    const last = messages.at(-1)
    if (last?.role === 'assistant') return this.#goOn(chatId, { paused, last, signal })
    const runner = this.#agent.turn(fromUIMessages(messages), signal && { signal })
    return this.#read(chatId, runner, new TurnChunks())
  }

  #goOn(
    chatId: string,
    { paused, last, signal }: { paused: Paused | undefined; last: UIMessage; signal: AbortSignal | undefined },
  ): ChunkReader {
    const decisions = decisionsIn(last, paused?.pending ?? [])
    if (paused === undefined || decisions.length === 0) {
      if (paused !== undefined) this.#paused.set(chatId, paused)
      throw new TurnloopError(
        'bad-input',
        'No turn of this page waits for what was decided here. Give the transport a session, for decisions that outlive a reload.',
      )
    }
    paused.chunks.goOn()
    const runner = paused.resume(decisions)
    signal?.addEventListener('abort', () => runner.cancel(signal.reason), { once: true })
    return this.#read(chatId, runner, paused.chunks)
  }

  #read(chatId: string, runner: ResumedTurn<unknown>, chunks: TurnChunks): ChunkReader {
    const events = runner.events()[Symbol.asyncIterator]()
    let isOver = false
    const read = async (): Promise<Chunk[] | undefined> => {
      if (isOver) return undefined
      const { done, value } = await events.next()
      // Told with the outcome, once the whole transcript is there.
      if (!done) return isEnd(value) ? [] : chunks.take(value)
      isOver = true
      const result = await runner.untilDone()
      const { outcome, resume } = result
      if (outcome.kind === 'awaiting' && resume !== undefined) {
        this.#paused.set(chatId, { chunks, pending: outcome.pending, resume })
      }
      const shown = toUIMessages(result.messages).findLast(({ id }) => id === chunks.replyId)
      return chunks.end(outcome, { ...shown?.metadata, outcome })
    }
    return {
      read,
      // Nobody can see this turn any more, or stop it: leaving its events cancels it.
      leave: () => void events.return?.().catch(() => {}),
    }
  }
}

function isEnd({ type, path }: TurnEvent): boolean {
  return path === undefined && (type === 'turn-ended' || type === 'turn-paused')
}
