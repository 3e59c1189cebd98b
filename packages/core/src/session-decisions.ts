import { toDecided } from './approvals.ts'
import type { ApprovalDecided } from './entries.ts'
import { canonicalJson } from './json.ts'
import type { Decision } from './outcome.ts'
import type { SessionDriver, SessionDriverOptions } from './session-driver.ts'
import { nothingAsked } from './session-errors.ts'
import { TAKEN_OVER } from './session-runs.ts'

type Where = Pick<SessionDriverOptions, 'sessionId' | 'storage' | 'view'> & { readonly driver: SessionDriver }

/**
 * Act on what a person decided: in the turn that runs, or by going on with the one that waits. Resolves once it is stored,
 * and at once where the same is said again. Rejects with `bad-input` for what nothing waits for, and with the reason of a Stop that came first.
 */
export async function decideInSession(decision: Decision, where: Where): Promise<void> {
  const { view, storage, sessionId, driver } = where
  const request = view.snapshot.pending.find(({ id }) => id === decision.id)
  const turnId = view.openTurnId
  if (request === undefined || turnId === undefined) {
    if (isDecided(decision, view)) return
    throw nothingAsked(sessionId, decision.id)
  }
  const live = driver.runner?.decide(decision)
  if (live !== undefined) {
    await live.saved
    return
  }
  const isAsked = (): boolean => view.snapshot.pending.some(({ id }) => id === decision.id)
  const job = driver.createPlainJob('resume', turnId)
  let saved: Promise<boolean> | undefined
  const taken = new Promise<void>((resolve) => {
    job.prepare = () => {
      // Another page may have decided meanwhile: then the turn only goes on from there.
      if (isAsked()) saved = storage.append({ turnId, ...toDecided(decision, request.path) }).saved
      resolve()
    }
  })
  await Promise.race([taken, driver.start(job, 'first')])
  const { aborted, reason } = job.controller.signal
  if (saved === undefined && isDecided(decision, view)) return
  if (saved === undefined) throw aborted && reason !== TAKEN_OVER ? reason : nothingAsked(sessionId, decision.id)
  await saved
}

/** Whether the log says the same already: a button was pressed twice, or another page has done it. */
function isDecided(decision: Decision, { entries }: Where['view']): boolean {
  const said = entries.find((entry) => entry.type === 'approval-decided' && entry.id === decision.id)
  return said?.type === 'approval-decided' && wordsOf(said) === wordsOf(toDecided(decision))
}

function wordsOf({ allow, input, result, note }: Omit<ApprovalDecided, 'type' | 'id' | 'by'>): string {
  return canonicalJson({ allow, input, result, note })
}

/** End the turn that waits for people, as Stop does. */
export async function stopWaiting(reason: unknown, { view, driver }: Pick<Where, 'view' | 'driver'>): Promise<void> {
  const turnId = view.openTurnId
  if (turnId === undefined) return
  const job = driver.createPlainJob('resume', turnId)
  job.isUnheld = true
  // Once it is its turn: a job that is stopped while it waits never begins.
  job.prepare = () => job.controller.abort(reason)
  // As with any Stop, what waits is held back; what is asked from now on is not.
  driver.hold(reason)
  driver.addTask(job, 'first')
  await job.done.catch(() => {})
}
