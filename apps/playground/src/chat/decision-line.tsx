import type { CallView, Entry } from '@turnloop/core'
import type { ReactElement } from 'react'
import type { TurnRecord } from '../app/turn-records.ts'
import { useTurnOf } from '../app/use-turn-log.ts'
import { type DecidedCall, decidedCalls, decisionWords } from './decided-calls.ts'
import styles from './tool-line.module.css'

/** Under a call that a person was asked about: who allowed it, or that it was not allowed and why. */
export function DecisionLine({ call }: { call: CallView }): ReactElement | null {
  const record = useTurnOf(call)
  const decided = record && decidedIn(record).get(call.callId)
  const words = decided === undefined ? undefined : decisionWords(decided)
  return words === undefined ? null : <p className={styles.decision}>{words}</p>
}

const known = new WeakMap<TurnRecord, ReadonlyMap<string, DecidedCall>>()

/** Read once for each state of a turn. */
function decidedIn(record: TurnRecord): ReadonlyMap<string, DecidedCall> {
  const { entries, nested = [] } = record
  const calls = known.get(record) ?? decidedCalls([...nested, ...entries].filter(isAboutApproval))
  known.set(record, calls)
  return calls
}

function isAboutApproval({ type }: Entry): boolean {
  return type === 'approval-requested' || type === 'approval-decided'
}
