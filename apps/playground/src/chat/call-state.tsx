import Ban from 'lucide-react/icons/ban'
import Check from 'lucide-react/icons/check'
import CircleDashed from 'lucide-react/icons/circle-dashed'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import CircleX from 'lucide-react/icons/circle-x'
import Hand from 'lucide-react/icons/hand'
import Square from 'lucide-react/icons/square'
import type { ReactElement } from 'react'
import styles from './call-state.module.css'
import type { CallStateWord } from './tool-words.ts'

const LOOKS: Readonly<Record<CallStateWord, { Icon: typeof Check; tone: string | undefined }>> = {
  preparing: { Icon: CircleDashed, tone: styles.busy },
  waiting: { Icon: CircleDashed, tone: styles.quiet },
  'waits for you': { Icon: Hand, tone: styles.warn },
  running: { Icon: CircleDashed, tone: styles.busy },
  done: { Icon: Check, tone: styles.quiet },
  failed: { Icon: CircleX, tone: styles.bad },
  refused: { Icon: Ban, tone: styles.warn },
  stopped: { Icon: Square, tone: styles.warn },
  'outcome unknown': { Icon: CircleQuestionMark, tone: styles.warn },
  'not run': { Icon: Ban, tone: styles.quiet },
}

/** How a call stands: a sign and the word for it. */
export function CallState({ word }: { word: CallStateWord }): ReactElement {
  const { Icon, tone } = LOOKS[word]
  return (
    <span className={[styles.state, tone].join(' ')}>
      <Icon size={13} strokeWidth={2} aria-hidden="true" />
      {word}
    </span>
  )
}
