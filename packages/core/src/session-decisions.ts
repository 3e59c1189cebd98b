import { toDecided } from './approvals.ts'
import type { Decision } from './outcome.ts'
import type { SessionDriver, SessionDriverOptions } from './session-driver.ts'
import { nothingAsked } from './session-errors.ts'

type Where = Pick<SessionDriverOptions, 'sessionId' | 'storage' | 'view'> & { readonly driver: SessionDriver }

/**
 * Act on what a person decided: in the turn that runs, or by going on with the one that waits. Resolves once it is stored.
 * Rejects with `bad-input` for what nothing waits for.
 */
export async function decideInSession(decision: Decision, where: Where): Promise<void> {
  const { view, storage, sessionId, driver } = where
  const request = view.snapshot.pending.find(({ id }) => id === decision.id)
  const turnId = view.openTurnId
  if (request === undefined || turnId === undefined) throw nothingAsked(sessionId, decision.id)
  const live = driver.runner?.decide(decision, request.path)
  if (live !== undefined) {
    await live.saved
    return
  }
  await new Promise<void>((resolve, reject) => {
    const job = driver.createPlainJob('resume', turnId)
    job.prepare = async () => {
      await storage.append({ turnId, ...toDecided(decision, request.path) }).saved
      resolve()
    }
    // A job that found the turn ended has nothing to store, and nobody waits for the decision any more.
    driver.start(job, 'first').then(() => resolve(), reject)
  })
}

/** End the turn that waits for people, as Stop does. */
export async function stopWaiting(reason: unknown, { view, driver }: Pick<Where, 'view' | 'driver'>): Promise<void> {
  const turnId = view.openTurnId
  if (turnId === undefined) return
  const job = driver.createPlainJob('resume', turnId)
  // Once it is its turn: a job that is stopped while it waits never begins.
  job.prepare = async () => job.controller.abort(reason)
  await driver.start(job, 'first').catch(() => {})
}
