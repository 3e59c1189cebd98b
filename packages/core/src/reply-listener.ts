import { linkedController } from './abort.ts'
import type { LiveEventBody, PartDelta } from './events.ts'
import type { AssistantMessage, AssistantPart } from './messages.ts'
import type { ReplyListener } from './turn-hooks.ts'

/** How much of a growing reply is held back until it was checked: nothing, all, or its last characters. */
export type OutputMode = 'off' | 'buffer' | { readonly window: number }

type Trip = NonNullable<ReplyListener['trip']>

/** What a listener needs: whom it tells, and how growing text is checked. */
export interface ListenerOptions {
  readonly mode: OutputMode
  readonly signal: AbortSignal
  emit(body: LiveEventBody): void
  /** Check texts that are still growing. Resolves with what they become, or with why they may not be. Never rejects. */
  check(texts: readonly string[]): Promise<{ readonly texts: readonly string[] } | { readonly trip: Trip }>
  /** How many characters at the end of a text may still become part of a finding. */
  holdLength(text: string): number
}

interface GrowingPart {
  readonly type: 'text-delta' | 'reasoning-delta'
  readonly partIndex: number
  text: string
  /** What has been let through, as it was shown. */
  shown: string
}

/** Lets text through at once; what was shown and does not pass is retracted later. */
export function openListener({ emit, signal }: ListenerOptions): ReplyListener {
  let hasShown = false
  const hear = (body: LiveEventBody): void => {
    hasShown ||= body.type === 'text-delta' || body.type === 'reasoning-delta'
    emit(body)
  }
  return {
    emit: hear,
    signal,
    trip: undefined,
    get hasShown() {
      return hasShown
    },
    settled: async () => {},
    release: () => {},
    seen: (reply) => reply,
    close: () => {},
  }
}

/** Holds text back: all of it, or as much as a check may still need. Arguments of calls are not shown at all. */
export class HoldingListener implements ReplyListener {
  readonly #options: ListenerOptions
  readonly #link: ReturnType<typeof linkedController>
  readonly #parts = new Map<number, GrowingPart>()
  readonly #hold: number
  #messageId = ''
  #checking: Promise<void> | undefined
  #isStale = false
  trip: Trip | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
    const { mode } = options
    this.#link = linkedController(options.signal)
    this.#hold = typeof mode === 'object' ? mode.window : Number.POSITIVE_INFINITY
  }

  get signal(): AbortSignal {
    return this.#link.controller.signal
  }

  /** Whether anything was shown. */
  get hasShown(): boolean {
    return [...this.#parts.values()].some(({ shown }) => shown !== '')
  }

  emit(body: LiveEventBody): void {
    if (body.type === 'tool-input-delta' || body.type === 'partial-output') return
    // Tried again from the start: what was held of the broken try is nobody's.
    if (body.type === 'retry') this.#parts.clear()
    if (body.type === 'text-delta' || body.type === 'reasoning-delta') this.#grow(body)
    else this.#options.emit(body)
  }

  close(): void {
    this.#link.unlink()
  }

  async settled(): Promise<void> {
    while (this.#checking !== undefined) await this.#checking
  }

  release(reply: AssistantMessage): void {
    for (const [partIndex, part] of reply.content.entries()) {
      if (part.type !== 'text' && part.type !== 'reasoning') continue
      const shown = this.#parts.get(partIndex)?.shown ?? ''
      // What a check has changed behind what was shown stands right in the message itself.
      const rest = part.text.startsWith(shown) ? part.text.slice(shown.length) : ''
      if (rest === '') continue
      const type = part.type === 'text' ? 'text-delta' : 'reasoning-delta'
      this.#options.emit({ type, messageId: reply.id, partIndex, delta: rest })
    }
  }

  seen(reply: AssistantMessage): AssistantMessage {
    const content = reply.content.flatMap((part, index): AssistantPart[] => {
      if (part.type === 'tool-call') return []
      if (part.type !== 'text' && part.type !== 'reasoning') return [part]
      const text = this.#parts.get(index)?.shown ?? ''
      return text === '' ? [] : [{ ...part, text }]
    })
    return { ...reply, content }
  }

  #grow({ type, messageId, partIndex, delta }: Exclude<PartDelta, { type: 'tool-input-delta' }>): void {
    this.#messageId = messageId
    const part = this.#parts.get(partIndex) ?? { type, partIndex, text: '', shown: '' }
    this.#parts.set(partIndex, part)
    part.text += delta
    if (part.text.length - part.shown.length <= this.#hold) return
    this.#isStale = true
    // Owned by `settled`: it never rejects.
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
  }

  async #check(): Promise<void> {
    while (this.#isStale && this.trip === undefined && !this.#options.signal.aborted) {
      this.#isStale = false
      const parts = [...this.#parts.values()]
      const checked = await this.#options.check(parts.map(({ text }) => text))
      // Of a try that was given up meanwhile.
      if (parts.some((part) => this.#parts.get(part.partIndex) !== part)) continue
      if ('trip' in checked) {
        this.trip = checked.trip
        this.#link.controller.abort(new DOMException('A check stopped this reply.', 'AbortError'))
        return
      }
      for (const [index, part] of parts.entries()) this.#show(part, checked.texts[index] ?? '')
    }
  }

  #show(part: GrowingPart, text: string): void {
    const end = text.length - Math.max(this.#hold, this.#options.holdLength(text))
    if (end <= part.shown.length || !text.startsWith(part.shown)) return
    const delta = text.slice(part.shown.length, end)
    part.shown += delta
    this.#options.emit({ type: part.type, messageId: this.#messageId, partIndex: part.partIndex, delta })
  }
}
