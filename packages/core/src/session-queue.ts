import { linkedController, onAbort } from './abort.ts'
import type { UserPart } from './messages.ts'
import type { QueuedInput } from './session-store.ts'
import type { TurnFacts } from './turn-options.ts'
import type { TurnResult } from './turn-result.ts'

/** One thing a session has to do: a turn to start, one to go on with, or work between two turns. */
export interface Job {
  readonly kind: 'send' | 'resume' | 'retry' | 'task'
  readonly turnId: string
  /** What is asked; of a job that asks nothing, only its id counts. */
  input: QueuedInput
  /** What its turn is told: for as long as this page lives. */
  facts?: TurnFacts
  /** What has to be done, as the writer of the session, before a turn goes on. */
  prepare?(): void
  /** It is done also while what waits is held back, as a task is. */
  isUnheld?: true
  /** What a task does. */
  run?(job: Job): Promise<void>
  /** What steers stands from now on: it joins the turn that runs, or waits on when that is over. */
  isClaimed?: boolean
  readonly controller: AbortController
  readonly done: Promise<TurnResult>
  settle(end: { result: TurnResult } | { error: unknown }): void
}

/** Where a job comes in the queue; `'steering'`: first, behind those that steer the same turn. */
export type Place = 'first' | 'steering' | 'last'

/** Make a job. Aborting `signal` aborts its controller, until the job is done. */
export function createJob(kind: Job['kind'], input: QueuedInput, signal?: AbortSignal): Job {
  const { controller, unlink } = linkedController(signal)
  let resolve: (result: TurnResult) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<TurnResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Whoever sent it may not be listening: a restored input has no sender.
  done.catch(() => {})
  return {
    kind,
    turnId: input.turnId,
    input,
    controller,
    done,
    settle(end) {
      unlink()
      if ('result' in end) resolve(end.result)
      else reject(end.error)
    },
  }
}

/** The jobs that wait, in order. */
export class SessionQueue {
  readonly #jobs: Job[] = []
  #inputs: readonly QueuedInput[] = []
  readonly #onChange: () => void
  readonly #onAborted: (job: Job) => void

  constructor(options: { onChange(): void; onAborted(job: Job): void }) {
    this.#onChange = options.onChange
    this.#onAborted = options.onAborted
  }

  /** The inputs that wait, as they are shown and stored; the same list until it changes. */
  get inputs(): readonly QueuedInput[] {
    const inputs = this.#jobs.filter((job) => job.kind === 'send').map((job) => job.input)
    const isSame = inputs.length === this.#inputs.length && inputs.every((input, at) => input === this.#inputs[at])
    if (!isSame) this.#inputs = inputs
    return this.#inputs
  }

  get first(): Job | undefined {
    return this.#jobs[0]
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0
  }

  /** Add a job at its place. One whose signal aborts while it waits is taken out again. */
  add(job: Job, place: Place = 'last'): void {
    const { steers } = job.input
    const before = place === 'steering' ? this.#jobs.findLastIndex(({ input }) => input.steers === steers) : -1
    this.#jobs.splice(place === 'last' ? this.#jobs.length : before + 1, 0, job)
    onAbort(job.controller.signal, () => {
      if (this.remove(job.input.id) !== undefined) this.#onAborted(job)
    })
    this.#onChange()
  }

  /** The first job that is done also while the others are held back. */
  get unheld(): Job | undefined {
    return this.#jobs.find(({ kind, isUnheld }) => kind === 'task' || isUnheld)
  }

  /** The first that asks again, with the conversation as it is. */
  get retry(): Job | undefined {
    return this.#jobs.find(({ kind, input }) => kind === 'retry' && input.goesBackTo === undefined)
  }

  /** The jobs that only make sense as things stand now, and that nobody sees waiting: all but inputs. */
  get passing(): readonly Job[] {
    return this.#jobs.filter(({ kind }) => kind !== 'send')
  }

  /** The jobs that leave behind what came after a place in the log. */
  get goingBack(): readonly Job[] {
    return this.#jobs.filter(({ input }) => input.goesBackTo !== undefined)
  }

  find(turnId: string): Job | undefined {
    return this.#jobs.find((job) => job.turnId === turnId)
  }

  /** The next input that steers a turn and was not given up; it cannot be changed or taken out any more. */
  claim(turnId: string): QueuedInput | undefined {
    const job = this.#jobs.find(({ input, controller }) => input.steers === turnId && !controller.signal.aborted)
    if (job !== undefined) job.isClaimed = true
    return job?.input
  }

  /** A claimed input has joined the turn: it waits no longer. */
  join(inputId: string): Job | undefined {
    const job = this.#jobs.find(({ input, isClaimed }) => isClaimed && input.id === inputId)
    if (job !== undefined) job.isClaimed = false
    return job && this.remove(inputId)
  }

  /** The run is over: what was claimed and has not joined waits like any other, or was given up meanwhile. */
  unclaim(): void {
    for (const job of this.#jobs.filter(({ isClaimed }) => isClaimed)) {
      job.isClaimed = false
      if (job.controller.signal.aborted && this.remove(job.input.id)) this.#onAborted(job)
    }
  }

  edit(inputId: string, content: readonly UserPart[]): void {
    const job = this.#jobs.find((waiting) => waiting.input.id === inputId)
    if (job === undefined || job.isClaimed) return
    job.input = { ...job.input, content }
    this.#onChange()
  }

  remove(inputId: string): Job | undefined {
    const index = this.#jobs.findIndex((job) => job.input.id === inputId && !job.isClaimed)
    if (index < 0) return undefined
    const [job] = this.#jobs.splice(index, 1)
    this.#onChange()
    return job
  }

  clear(): Job[] {
    return this.#jobs.splice(0)
  }
}
