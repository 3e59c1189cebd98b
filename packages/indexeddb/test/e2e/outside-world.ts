/** Where a page is to be stopped: at one side of its nth write, or while a tool's effect is under way. */
export type Aim = { readonly write: number; readonly side: 'before' | 'after' } | { readonly tool: string }

/** What tools did, and with which idempotency key. */
export interface Effect {
  readonly tool: string
  readonly key: string
}

/** All that is known outside of the page about one conversation. */
export class Witness {
  readonly effects: Effect[] = []
  /** Up to which entry the page was told that its log is stored. */
  acknowledged = 0
  /** How many writes were begun. */
  writes = 0
  #aim: Aim | undefined
  #reach: () => void = () => {}

  /** Stop the page there, for ever; resolves when it has got there. */
  stopAt(aim: Aim): Promise<void> {
    this.#aim = aim
    return new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  /** Let everything go on. */
  letGo(): void {
    this.#aim = undefined
  }

  /** Whether the page may go on from this write. */
  noteWrite(write: number, side: string, last: number): boolean {
    if (side === 'before') this.writes = Math.max(this.writes, write)
    else this.acknowledged = Math.max(this.acknowledged, last)
    const aim = this.#aim
    return !this.#isReached(aim !== undefined && 'write' in aim && aim.write === write && aim.side === side)
  }

  /** Whether the tool hears of its effect. */
  noteEffect(effect: Effect): boolean {
    this.effects.push(effect)
    const aim = this.#aim
    return !this.#isReached(aim !== undefined && 'tool' in aim && aim.tool === effect.tool)
  }

  #isReached(isReached: boolean): boolean {
    if (isReached) this.#reach()
    return isReached
  }
}

/** What is outside of the page and outlives it: the effects of tools, and a witness of each conversation's writes. */
export class OutsideWorld {
  readonly #witnesses = new Map<string, Witness>()
  /** How often a page was told that it is going away. */
  farewells = 0

  witness(session: string): Witness {
    const known = this.#witnesses.get(session) ?? new Witness()
    this.#witnesses.set(session, known)
    return known
  }

  /** Take what a page posts; without an answer the page waits for ever. */
  hear(path: string, what: URLSearchParams, answer: (text: string) => void): void {
    const of = (name: string): string => what.get(name) ?? ''
    const witness = this.witness(of('session'))
    if (path === '/pagehide') this.farewells += 1
    const mayGoOn =
      path === '/point'
        ? witness.noteWrite(Number(of('write')), of('side'), Number(of('last')))
        : path !== '/effect' || witness.noteEffect({ tool: of('tool'), key: of('key') })
    if (mayGoOn) answer(path === '/effect' ? `${of('tool')} is done` : '')
  }
}
