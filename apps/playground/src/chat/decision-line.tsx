import { createContext, type ReactElement, useContext } from 'react'
import { type DecidedCall, decisionWords } from './decided-calls.ts'
import styles from './tool-line.module.css'

/** What people decided about the calls of this conversation, by call. */
export const DecidedCallsContext = createContext<ReadonlyMap<string, DecidedCall>>(new Map())

/** Under a call that a person was asked about: who allowed it, or that it was not allowed and why. */
export function DecisionLine({ callId }: { callId: string }): ReactElement | null {
  const decided = useContext(DecidedCallsContext).get(callId)
  const words = decided === undefined ? undefined : decisionWords(decided)
  return words === undefined ? null : <p className={styles.decision}>{words}</p>
}
