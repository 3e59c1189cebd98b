import type { Entry, Outcome, PendingRequest, Session, Snapshot, TurnEvent, TurnResult } from '@turnloop/core'
import type { ChunkReader } from './chunk-stream.ts'
import type { Chunk } from './step-chunks.ts'
import { toUIMessages } from './to-ui-messages.ts'
import { TurnChunks } from './turn-chunks.ts'

/** Which turn of a session is read. */
export interface SessionReaderOptions {
  /** Absent: the next one that retries another. */
  readonly turnId?: string
  /** The id of the UI message, where the turn has no message of a person. */
  readonly replyId?: string | undefined
  /** Questions that are being decided: a pause that only waits for these is none. */
  readonly deciding?: ReadonlySet<string>
}

/** Reads one turn of a session, from now on until it ends or pauses, as the chunks of a UI message. */
export class SessionReader implements ChunkReader {
  readonly #session: Session
  readonly #events: AsyncIterator<TurnEvent>
  readonly #chunks: TurnChunks
  readonly #deciding: ReadonlySet<string>
  #turnId: string | undefined
  #ready: Chunk[] = []
  #lastWords: Chunk[] | undefined
  #isOver = false
  readonly #onOver: (() => void)[] = []

  constructor(session: Session, { turnId, replyId, deciding = new Set() }: SessionReaderOptions) {
    this.#session = session
    // At once, or what happens until the first read would be missed.
    this.#events = session.events()[Symbol.asyncIterator]()
    this.#chunks = new TurnChunks({ replyId })
    this.#turnId = turnId
    this.#deciding = deciding
  }

  get turnId(): string | undefined {
    return this.#turnId
  }

  /** Begin with what has been there of the turn already: said once more, or only learnt. */
  begin(mode: 'replay' | 'go-on'): void {
    const past = this.#session.getEntries().filter(({ turnId }) => turnId === this.#turnId)
    if (mode === 'go-on') this.#chunks.skip(past)
    else
      this.#ready = [...past, ...growingEvents(this.#session.getSnapshot())].flatMap((event) =>
        this.#chunks.take(event),
      )
  }

  async read(): Promise<readonly Chunk[] | undefined> {
    if (this.#ready.length > 0) return this.#ready.splice(0)
    if (this.#isOver) return undefined
    const { done, value: event } = await this.#events.next()
    if (done) return this.#finish(this.#lastWords ?? [{ type: 'finish', finishReason: 'interrupted' }])
    if (this.#turnId === undefined && isRetry(event)) this.#turnId = event.turnId
    if (this.#turnId === undefined || event.turnId !== this.#turnId) return []
    const chunks = this.#chunks.take(event)
    const outcome = this.#outcomeIn(event)
    return outcome === undefined
      ? chunks
      : this.#finish([...chunks, ...this.#chunks.end(outcome, this.#metadata(outcome))])
  }

  leave(): void {
    this.#over()
  }

  /** The turn has ended without having begun, perhaps: what never began has no end among the events. */
  settle({ outcome }: TurnResult): void {
    const hasBegun = this.#session
      .getEntries()
      .some(({ type, turnId }) => type === 'turn-started' && turnId === this.#turnId)
    if (!hasBegun) this.#sayAtLast(this.#chunks.end(outcome, undefined))
  }

  /** There will be no turn. */
  fail(error: unknown): void {
    this.#sayAtLast([{ type: 'error', errorText: error instanceof Error ? error.message : String(error) }])
  }

  /** Called once nothing more is read, for whatever reason. */
  onOver(listener: () => void): void {
    if (this.#isOver) listener()
    else this.#onOver.push(listener)
  }

  #sayAtLast(chunks: Chunk[]): void {
    this.#lastWords = chunks
    this.#stopEvents()
  }

  #finish(chunks: Chunk[]): Chunk[] {
    this.#over()
    return chunks
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopEvents()
    for (const listener of this.#onOver.splice(0)) listener()
  }

  #stopEvents(): void {
    // Leaving a session's events changes nothing, and cannot fail.
    this.#events.return?.().catch(() => {})
  }

  #outcomeIn(event: TurnEvent): Outcome | undefined {
    if (event.path !== undefined && event.path.length > 0) return undefined
    if (event.type === 'turn-ended') return event.outcome
    if (event.type !== 'turn-paused' || event.pending.some((request) => this.#isBeingDecided(request))) return undefined
    return { kind: 'awaiting', pending: event.pending }
  }

  #isBeingDecided({ id }: PendingRequest): boolean {
    const isDecided = (entry: Entry): boolean => entry.type === 'approval-decided' && entry.id === id
    return this.#deciding.has(id) && !this.#session.getEntries().some(isDecided)
  }

  #metadata(outcome: Outcome) {
    const messages = toUIMessages(this.#session.getSnapshot())
    const shown = messages.findLast(({ id }) => id === this.#chunks.replyId)
    return { ...shown?.metadata, outcome }
  }
}

function isRetry(event: TurnEvent): boolean {
  return event.type === 'turn-started' && event.retryOf !== undefined
}

/** The reply that is growing, or else what running tools last said, as the events that made them. */
function growingEvents({ open, calls, turn }: Snapshot): TurnEvent[] {
  const base = { turnId: turn?.id ?? '', at: 0, after: 0 }
  if (open === undefined) {
    return (turn?.openCalls ?? []).flatMap((callId): TurnEvent[] => {
      const update = calls.get(callId)?.progress
      return update === undefined ? [] : [{ ...base, type: 'tool-progress', callId, update }]
    })
  }
  const { id: messageId, modelId = '' } = open
  const parts = open.content.flatMap((part, partIndex): TurnEvent[] => {
    const at = { ...base, messageId, partIndex }
    if (part.type === 'text' || part.type === 'reasoning') {
      return part.text === '' ? [] : [{ ...at, type: `${part.type}-delta`, delta: part.text }]
    }
    if (part.type !== 'tool-call') return []
    const { callId, toolName, inputText: delta, providerExecuted } = part
    return [{ ...at, type: 'tool-input-delta', callId, toolName, delta, ...(providerExecuted && { providerExecuted }) }]
  })
  return [{ ...base, type: 'model-started', messageId, modelId }, ...parts]
}
