import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { openSheet } from '../app/panes.ts'
import { currentTurn } from '../app/turn-records.ts'
import { useTurnRecords } from '../app/use-turn-log.ts'
import { useIsUnderWay, useTravel } from '../chat/use-travel.ts'
import styles from './timeline.module.css'

/** What can be done with a checkpoint of the time line. Where the conversation stands there is nothing to go back to. */
export function CheckpointActions({ sequence }: { sequence: number }): ReactElement {
  const { goTo, branch } = useTravel()
  const isUnderWay = useIsUnderWay()
  const current = currentTurn(useTurnRecords())
  const isHere = sequence === (current?.cutAt ?? current?.entries.find(({ type }) => type === 'turn-ended')?.sequence)
  const leave = (go: () => void) => (): void => {
    openSheet.set(undefined)
    go()
  }
  return (
    <div className={styles.places}>
      <Button
        look="quiet"
        size="small"
        disabled={isUnderWay || isHere}
        onClick={leave(() => goTo(sequence, 'Went back to this point'))}
      >
        {isHere ? 'You are here' : 'Go back to here'}
      </Button>
      <Button look="quiet" size="small" onClick={leave(() => branch(sequence))}>
        Branch from here
      </Button>
    </div>
  )
}
