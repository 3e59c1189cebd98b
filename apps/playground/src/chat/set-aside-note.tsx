import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { plural } from '../app/format.ts'
import { useTurnLog } from '../app/use-turn-log.ts'
import styles from './set-aside-note.module.css'
import { useIsUnderWay, useTravel } from './use-travel.ts'
import { type SetAside, setAsideAtEnd } from './versions.ts'

/** Where somebody went back: what was set aside, and the ways to it. Gone once something else is asked here. */
export function SetAsideNote(): ReactElement | null {
  const setAside = setAsideAtEnd(useTurnLog())
  const isUnderWay = useIsUnderWay()
  const { goTo, branch } = useTravel()
  if (setAside === undefined || isUnderWay) return null
  const { end } = setAside
  return (
    <section className={styles.note} aria-label="Set aside">
      <p>{setAsideWords(setAside)}</p>
      <span className={styles.ways}>
        <Button size="small" onClick={() => goTo(end, 'What was set aside is back')}>
          Bring back
        </Button>
        <Button size="small" look="quiet" onClick={() => branch(end)}>
          Open as a new session
        </Button>
      </span>
    </section>
  )
}

/** How much was set aside. */
function setAsideWords({ turns }: SetAside): string {
  if (turns === 0) return 'You went back to this point. The rest of the answer is set aside.'
  return `You went back to this point. ${plural(turns, 'later turn')} ${turns === 1 ? 'is' : 'are'} set aside.`
}
