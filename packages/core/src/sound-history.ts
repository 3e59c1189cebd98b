import type { Message } from './messages.ts'
import { areDistinct } from './plainly-sound.ts'
import { healMessages, type Repair, reconcileHistory } from './reconcile.ts'

/**
 * A transcript that grows at its end, healed as `reconcileHistory` heals the whole of it, at the cost of what is new.
 *
 * A reply that stands last stays open: what follows it decides what becomes of it. Damage that reaches over messages, such
 * as a result far from its call, is rare; from then on the whole is looked at each time.
 */
export class SoundHistory {
  /** As they came. */
  readonly #given: Message[]
  /** Of those before `#end`, what is left after healing. */
  #closed: Message[] = []
  #end = 0
  readonly #ids = new Set<string>()
  readonly #providerCalls = new Set<string>()
  #isGrowing = true

  constructor(messages: readonly Message[] = []) {
    this.#given = [...messages]
    this.#isGrowing = areDistinct(messages, this.#ids)
  }

  add(message: Message): void {
    this.#given.push(message)
    if (!areDistinct([message], this.#ids)) this.#isGrowing = false
  }

  /** What requests are made of: pair-valid. A new list each time. */
  get messages(): Message[] {
    const { closed, open } = this
    if (open === undefined) return closed.slice()
    if (!this.#isGrowing) return reconcileHistory(this.#given).messages.slice()
    return closed.concat(healMessages([open], { providerCalls: new Set(this.#providerCalls) }).messages)
  }

  /** The same as it stands now, with a reply that stands last as it is, its calls open. The list is made when asked for. */
  unanswered(): () => readonly Message[] {
    const { closed, open } = this
    const { length } = closed
    let made: readonly Message[] | undefined
    return () => {
      made ??= closed.slice(0, length).concat(open ?? [])
      return made
    }
  }

  /** How many it has, a reply that stands last as it is. */
  get length(): number {
    return this.closed.length + (this.open === undefined ? 0 : 1)
  }

  /** Without a reply that stands last. The same list, grown, until damage is found: then a new one. */
  get closed(): readonly Message[] {
    const end = this.#given.length - (this.open === undefined ? 0 : 1)
    if (end > this.#end) this.#close(end)
    return this.#closed
  }

  /** The reply that stands last. */
  get open(): Message | undefined {
    const last = this.#given.at(-1)
    return last?.role === 'assistant' ? last : undefined
  }

  #close(end: number): void {
    const fresh = this.#given.slice(this.#end, end)
    this.#end = end
    if (this.#isGrowing) {
      const { messages, report } = healMessages(fresh, { isFollowed: true, providerCalls: this.#providerCalls })
      this.#isGrowing = report.every(isWithinMessage)
      if (this.#isGrowing) {
        if (this.#closed.length === 0) this.#closed = [...messages]
        else for (const message of messages) this.#closed.push(message)
        return
      }
    }
    this.#closed = [...reconcileHistory(this.#given.slice(0, end), { isFollowed: true }).messages]
  }
}

/** Whether a repair depended on nothing but the message itself, so that what came before and comes after is none of it. */
function isWithinMessage({ rule }: Repair): boolean {
  return (
    rule === 'dropped-blank-text' ||
    rule === 'dropped-empty-reply' ||
    rule === 'dropped-trailing-reasoning' ||
    rule === 'dropped-orphan-provider-result'
  )
}
