import type { Activity, AssistantMessage, CallView, PendingRequest, SessionStatus, TurnView } from '@turnloop/core'
import { plural } from '../app/format.ts'
import { callDoing } from './tool-words.ts'

/** What the words are made from. */
export interface ActivityFacts {
  readonly status: SessionStatus
  readonly activity?: Activity | undefined
  readonly open?: AssistantMessage | undefined
  readonly calls: ReadonlyMap<string, CallView>
  readonly turn?: Pick<TurnView, 'openCalls'> | undefined
  readonly pending?: readonly PendingRequest[]
  /** An answer is shown only once it has been checked. */
  readonly holdsAnswers?: boolean
}

/** What a running turn is doing, in words. Empty when nothing runs. */
export function activityWords(facts: ActivityFacts): string {
  const { status, activity, open, calls, turn, pending = [], holdsAnswers = false } = facts
  if (status === 'cancelling') return 'Stopping…'
  if (status === 'awaiting') return WAITS
  if (status !== 'running') return ''
  if (activity?.kind === 'tools' || pending.length > 0) {
    const running = (turn?.openCalls ?? [])
      .flatMap((id) => calls.get(id) ?? [])
      .filter(({ state }) => state === 'running')
    return running.length === 0 && pending.length > 0 ? WAITS : toolWords(running)
  }
  if (activity?.kind === 'retry-wait') return 'The model did not answer. Trying again shortly…'
  if (activity?.kind === 'compaction') return 'Summarising earlier messages…'
  if (activity?.kind === 'model') return modelWords(open, holdsAnswers)
  return 'Getting ready…'
}

/** What a turn does that waits for a person. */
const WAITS = 'Waits for you'

function toolWords(running: readonly CallView[]): string {
  const [first, ...others] = running
  if (first === undefined) return 'Preparing the tools…'
  if (others.length > 0) return `Running ${plural(running.length, 'tool')} at the same time…`
  const doing = callDoing(first)
  return /[.…]$/.test(doing) ? doing : `${doing}…`
}

function modelWords(open: AssistantMessage | undefined, holdsAnswers: boolean): string {
  const last = open?.content.at(-1)
  if (last?.type === 'text') return 'Writing…'
  if (last?.type === 'reasoning') return 'Thinking…'
  if (last?.type === 'tool-call') return `Preparing ${last.toolName}…`
  return holdsAnswers ? 'The answer is shown once it is checked…' : 'Waiting for the model…'
}
