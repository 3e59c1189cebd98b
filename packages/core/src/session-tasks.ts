import { StorageError } from './errors.ts'
import { randomId } from './random-id.ts'
import type { SessionDriver, SessionDriverOptions } from './session-driver.ts'
import type { Job } from './session-queue.ts'
import { type RunContext, TAKEN_OVER } from './session-runs.ts'

/** What a task works with. */
export type TaskContext = Pick<RunContext, 'sessionId' | 'agent' | 'storage' | 'view'>

/**
 * Do something between two turns, in its place in the queue; what is held back stays so, and keeps nobody waiting.
 *
 * Rejects with what it throws, with the reason, whatever it is, once stopped, and with `stale-fence` where another page takes over.
 */
export async function performTask<T>(
  driver: SessionDriver,
  { sessionId, storage, view, agent }: SessionDriverOptions,
  task: (job: Job, context: TaskContext) => Promise<T>,
): Promise<T> {
  const job = driver.createPlainJob('task', randomId())
  let done: { readonly value: T } | undefined
  job.run = async () => {
    done = { value: await task(job, { sessionId, agent: agent(), storage, view }) }
  }
  driver.addTask(job)
  const ended: unknown = await job.done.catch((error: unknown) => error)
  if (done !== undefined) return done.value
  const { aborted, reason } = job.controller.signal
  const failure: unknown = aborted ? reason : ended
  if (failure === TAKEN_OVER) throw new StorageError('stale-fence', `Session ${sessionId}: ${TAKEN_OVER}.`)
  throw failure
}
