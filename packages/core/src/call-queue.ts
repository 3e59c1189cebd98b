/** How a queue of calls is worked off. */
export interface CallQueueOptions<Call> {
  /** How many may run at once. */
  readonly limit: number
  /** Whether a call runs with nothing beside it. */
  isExclusive(call: Call): boolean
  /** Whether a call has to wait for people. With a limit of one, those behind it wait too: they may build on it. */
  isHeld(call: Call): boolean
  /** Never rejects. */
  run(call: Call): Promise<void>
}

/** Starts calls in order, as many at once as may be, until nothing runs and all that is left is held. */
export class CallQueue<Call> {
  readonly #options: CallQueueOptions<Call>
  readonly #queue: Call[]
  readonly #held: Call[] = []
  #running = 0
  #isAlone = false
  #isDone = false
  #done: () => void = () => {}
  /** Resolves when nothing runs any more. */
  readonly idle: Promise<void>

  constructor(calls: readonly Call[], options: CallQueueOptions<Call>) {
    this.#options = options
    this.#queue = [...calls]
    this.idle = new Promise((resolve) => {
      this.#done = () => {
        this.#isDone = true
        resolve()
      }
    })
  }

  /** What waits for people, and behind it, in order. */
  get left(): readonly Call[] {
    return [...this.#held, ...this.#queue]
  }

  start(): void {
    while (this.#startNext());
    if (this.#running === 0) this.#done()
  }

  /** Put a call, or what became of it, in the place of one that is held. What is waited for meanwhile counts as running. */
  release(isMeant: (call: Call) => boolean, become: (call: Call) => Promise<Call>): void {
    // Too late for this run: the next one takes it in.
    if (this.#isDone) return
    for (const list of [this.#held, this.#queue]) {
      const index = list.findIndex((call) => this.#options.isHeld(call) && isMeant(call))
      const call = list[index]
      if (call === undefined) continue
      list.splice(index, 1)
      this.#running += 1
      become(call).then((next) => {
        this.#running -= 1
        this.#queue.unshift(next)
        this.start()
      })
      return
    }
  }

  /** Hold a call that turned out to wait for people while it ran. */
  hold(call: Call): void {
    if (this.#options.limit === 1) this.#queue.unshift(call)
    else this.#held.push(call)
  }

  #startNext(): boolean {
    const { limit, isExclusive, isHeld, run } = this.#options
    const [call] = this.#queue
    if (call === undefined) return false
    if (isHeld(call)) {
      if (limit === 1) return false
      this.#queue.shift()
      this.#held.push(call)
      return true
    }
    if (this.#running >= (this.#isAlone || isExclusive(call) ? 1 : limit)) return false
    this.#queue.shift()
    this.#running += 1
    this.#isAlone = isExclusive(call)
    run(call).then(() => {
      this.#running -= 1
      this.#isAlone = false
      this.start()
    })
    return true
  }
}
