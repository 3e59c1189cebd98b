import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'

/** How background hooks are run. */
export interface BackgroundOptions {
  /** Hand a task to a queue of the page's own; it never rejects. Default: run it here. */
  readonly schedule?: (task: () => Promise<void>) => void
  /** How many run at once. Default 4. */
  readonly concurrency?: number
  /** How long one may take. Default 30,000. */
  readonly timeoutMs?: number
}

/** One background hook, ready to run. */
export interface BackgroundTask {
  readonly clock: Clock
  /** `signal` aborts when its time is over. */
  run(signal: AbortSignal): Promise<unknown>
  onError(error: unknown): void
}

/** Runs hooks beside the turns that asked for them: a few at once, each within its time. */
export class BackgroundHooks {
  readonly #options: BackgroundOptions
  readonly #waiting: BackgroundTask[] = []
  readonly #running = new Set<Promise<void>>()

  constructor(options: BackgroundOptions) {
    this.#options = options
  }

  add(task: BackgroundTask): void {
    const { schedule } = this.#options
    if (schedule === undefined) {
      this.#waiting.push(task)
      this.#next()
      return
    }
    let done: () => void = () => {}
    const promise = new Promise<void>((resolve) => {
      done = resolve
    })
    this.#track(promise)
    try {
      schedule(() => this.#run(task).then(done))
    } catch (error) {
      task.onError(error)
      done()
    }
  }

  /** Resolves when nothing runs or waits any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #next(): void {
    while (this.#running.size < (this.#options.concurrency ?? 4)) {
      const task = this.#waiting.shift()
      if (task === undefined) return
      this.#track(this.#run(task))
    }
  }

  #track(promise: Promise<void>): void {
    this.#running.add(promise)
    promise.then(() => {
      this.#running.delete(promise)
      this.#next()
    })
  }

  /** Never rejects. */
  async #run({ run, onError, clock }: BackgroundTask): Promise<void> {
    const controller = new AbortController()
    const { timeoutMs = 30_000 } = this.#options
    try {
      const running = (async () => run(controller.signal))()
      if ((await settleBefore(running, timeoutMs, clock)) !== ABANDONED) return
      running.catch(() => {})
      controller.abort(new DOMException('A background hook took too long.', 'TimeoutError'))
      throw new Error(`It did not finish within ${timeoutMs} ms.`)
    } catch (error) {
      onError(error)
    }
  }
}
