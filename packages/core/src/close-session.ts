import { settleBefore } from './abort.ts'
import type { Agent } from './agent.ts'
import type { SessionDriver } from './session-driver.ts'
import type { CloseOptions } from './session-rules.ts'
import type { SessionStorage } from './session-storage.ts'
import type { SessionTabs } from './session-tabs.ts'
import type { SessionView } from './session-view.ts'

/** What closing works with. */
export interface ClosingOptions {
  readonly agent: Agent
  readonly view: SessionView
  readonly storage: SessionStorage
  readonly driver: SessionDriver
  readonly tabs: SessionTabs | undefined
  /** Settles when the session is loaded. */
  readonly ready: Promise<void>
  readonly saveTimeoutMs: number
}

/** Let go of a session: bring what runs to its end, or stop it, save, and hand back what waits. */
export async function closeSession(
  running: NonNullable<CloseOptions['running']>,
  { agent, view, storage, driver, tabs, ready, saveTimeoutMs }: ClosingOptions,
): Promise<void> {
  const { queue } = driver
  const isLoading = view.snapshot.status === 'loading'
  tabs?.stopSharing(running === 'leave')
  driver.hold()
  const stop = (): void => {
    if (running === 'leave') storage.seal()
    if (running !== 'finish') driver.stopCurrent('the session was closed')
  }
  // At once: not one more request goes out.
  if (!isLoading) stop()
  // A store that never answers keeps nobody from leaving.
  await settleBefore(ready, saveTimeoutMs, agent.clock)
  // What was sent while loading has not been stored yet, as what waits behind a turn is.
  if (isLoading && !queue.isEmpty && tabs?.isDriving !== false) storage.saveRecords()
  if (isLoading) stop()
  await driver.current?.done.catch(() => {})
  await storage.flush()
  storage.close()
  tabs?.leave(running !== 'leave' && queue.isEmpty)
  // What is stored starts when the session is opened again, and must not be sent once more by whoever gets it back.
  const isKept = view.snapshot.storage.state === 'ready'
  const reason = `the session was closed${isKept ? '; this input waits until it is opened again' : ''}`
  for (const job of queue.clear()) job.settle({ result: driver.neverStarted(job, { reason, isKept }) })
  view.close()
}
