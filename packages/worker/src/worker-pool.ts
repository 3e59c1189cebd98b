import type { JsonObject, ToolContext } from '@turnloop/core'
import { HostedCall } from './hosted-call.ts'
import { onAbort } from './on-abort.ts'
import { PooledWorker, type PooledWorkerOptions } from './pooled-worker.ts'
import type { ToolDescriptor } from './protocol.ts'
import { forCall, terminated, type WorkerError } from './worker-error.ts'

/** What a pool needs. */
export interface PoolOptions extends Omit<PooledWorkerOptions, 'onReady' | 'onFree' | 'onLost'> {
  /** The most workers. */
  readonly size: number
  /** The most calls that run in one worker. */
  readonly callsPerWorker: number
}

interface Listing {
  readonly promise: Promise<readonly ToolDescriptor[]>
  resolve(tools: readonly ToolDescriptor[]): void
  reject(error: unknown): void
}

/**
 * The workers of one source, the calls that run in them, and those that wait.
 *
 * A call goes to an idle worker; if there is none and the pool is not full, to a new one; else it shares a worker whose
 * event loop turns. Every call settles: none outlives its worker.
 */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #workers = new Set<PooledWorker>()
  /** The calls that no worker has, oldest first. */
  readonly #queue: HostedCall[] = []
  readonly #listeners = new Set<() => void>()
  /** The tools as a worker announced them. */
  #announced: readonly ToolDescriptor[] | undefined
  /** The worker that announced them was replaced. */
  #isStale = false
  /** Those who wait for the tools. */
  #listing: Listing | undefined
  /** A worker failed to load while others work: it is not tried again before the next call. */
  #holdsBack = false
  #disposed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** What the workers serve; starts one if none has told yet. Rejects with `WorkerError`, or with the signal's reason. */
  list(signal: AbortSignal): Promise<readonly ToolDescriptor[]> {
    return new Promise((resolve, reject) => {
      if (this.#disposed) return reject(this.#disposedError())
      const release = onAbort(signal, () => reject(signal.reason))
      if (!signal.aborted) this.#tools().then(resolve, reject).finally(release)
    })
  }

  /** Run one call. Abort asks the tool to stop and ends its worker if it does not within `graceMs`. */
  run(tool: ToolDescriptor, input: JsonObject, context: ToolContext): Promise<unknown> {
    const { signal } = context
    if (this.#disposed) return Promise.reject(forCall(this.#disposedError(), tool.name, 'not-run'))
    if (signal.aborted) return Promise.reject(signal.reason)
    const call = new HostedCall({ tool, input, context })
    call.stopListening = onAbort(signal, () => this.#cancel(call))
    this.#queue.push(call)
    this.#holdsBack = false
    this.#dispatch()
    return call.answer
  }

  /** Hear when what `list` gives has changed; the returned function stops that. */
  subscribe(onChange: () => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  /** Take all workers out of service: they finish the calls they have started, and new workers take the others. */
  reload(): void {
    if (this.#disposed) return
    this.#isStale = true
    this.#holdsBack = false
    for (const worker of this.#workers) {
      const moved = worker.takeProbe()
      if (moved) this.#queue.unshift(moved)
      worker.isRetiring = true
      this.#retire(worker)
    }
    this.#dispatch()
    this.#notify()
  }

  /** End all workers for good and answer every call. */
  dispose(): void {
    this.#disposed = true
    const error = this.#disposedError()
    for (const worker of this.#workers) worker.end(error, { mayMove: false })
    this.#workers.clear()
    this.#failAll(error)
    this.#listeners.clear()
  }

  #tools(): Promise<readonly ToolDescriptor[]> {
    if (this.#announced && !this.#isStale) return Promise.resolve(this.#announced)
    this.#listing ??= newListing()
    const { promise } = this.#listing
    this.#dispatch()
    return promise
  }

  /** Give every call that waits to a worker, as far as there are any. */
  #dispatch(): void {
    if (this.#disposed) return
    const workers = [...this.#workers].filter((worker) => !worker.isRetiring)
    for (const worker of workers) {
      while (worker.isIdle) {
        const call = this.#queue.shift() ?? takeWaiting(workers)
        if (!call) break
        worker.run(call)
      }
    }
    const starting = this.#startWorkers(workers)
    // A call for which a worker is being started has that one to itself; the others share.
    for (let left = this.#queue.length - starting; left > 0; left -= 1) {
      const worker = leastLoaded(workers, this.#options.callsPerWorker)
      const call = worker && this.#queue.shift()
      if (!call) break
      worker.probe(call)
    }
  }

  /** Start as many workers as there are calls without one and room for; returns how many are starting. */
  #startWorkers(workers: readonly PooledWorker[]): number {
    let starting = workers.filter((worker) => worker.isStarting).length
    if (this.#holdsBack) return starting
    const wanted = Math.max(this.#queue.length, this.#listing ? 1 : 0)
    const room = this.#options.size - workers.length
    for (let free = room; free > 0 && starting < wanted; free -= 1) {
      starting += 1
      const worker = new PooledWorker({
        ...this.#options,
        onReady: (ready, announced) => this.#announce(ready, announced),
        onFree: (free) => this.#free(free),
        onLost: (lost, error) => this.#lose(lost, error),
      })
      this.#workers.add(worker)
    }
    return starting
  }

  #announce(worker: PooledWorker, tools: readonly ToolDescriptor[]): void {
    if (!this.#workers.has(worker)) return
    const before = this.#announced
    // What says the same is the same, so that pages need not look at it again.
    if (JSON.stringify(tools) !== JSON.stringify(before)) this.#announced = tools
    const announced = this.#announced ?? tools
    this.#isStale = false
    this.#listing?.resolve(announced)
    this.#listing = undefined
    this.#dispatch()
    if (before && before !== announced) this.#notify()
  }

  #free(worker: PooledWorker): void {
    this.#retire(worker)
    this.#dispatch()
  }

  #retire(worker: PooledWorker): void {
    if (!worker.isRetiring || worker.load > 0) return
    this.#workers.delete(worker)
    worker.end(terminated(this.#options.identity, 'by reload()'))
  }

  #lose(worker: PooledWorker, error: WorkerError): void {
    if (!this.#workers.delete(worker)) return
    this.#queue.unshift(...worker.end(error))
    if (error.code === 'worker-failed-to-load') {
      this.#holdsBack = [...this.#workers].some((other) => !other.isRetiring)
      if (!this.#holdsBack) this.#failAll(error)
    }
    this.#dispatch()
  }

  #failAll(error: WorkerError): void {
    this.#listing?.reject(error)
    this.#listing = undefined
    for (const call of this.#queue.splice(0)) call.lose(error)
  }

  #cancel(call: HostedCall): void {
    const { reason } = call.request.context.signal
    const worker = [...this.#workers].find((candidate) => candidate.has(call))
    if (call.started) worker?.stop(call, reason)
    else {
      const place = this.#queue.indexOf(call)
      if (place >= 0) this.#queue.splice(place, 1)
      else worker?.takeProbe(reason)
      call.withdraw(reason)
      this.#dispatch()
    }
  }

  #notify(): void {
    for (const onChange of [...this.#listeners]) onChange()
  }

  #disposedError(): WorkerError {
    return terminated(this.#options.identity, 'by dispose(); make a new source with workerTools()')
  }
}

/** The worker that can take one more call and has the fewest. */
function leastLoaded(workers: readonly PooledWorker[], limit: number): PooledWorker | undefined {
  let least: PooledWorker | undefined
  for (const worker of workers) {
    const hasRoom = !worker.isStarting && !worker.isProbed && worker.load < limit
    if (hasRoom && (!least || worker.load < least.load)) least = worker
  }
  return least
}

/** A call that waits for an answer of its busy worker while another worker is idle. */
function takeWaiting(workers: readonly PooledWorker[]): HostedCall | undefined {
  return workers.find((worker) => worker.isProbed && worker.load > 0)?.takeProbe()
}

function newListing(): Listing {
  let resolve: Listing['resolve'] = () => {}
  let reject: Listing['reject'] = () => {}
  const promise = new Promise<readonly ToolDescriptor[]>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}
