import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** Props of `TurnPicker`. */
export interface TurnPickerProps {
  number: number
  count: number
  onPick(number: number): void
}

/** Steps from turn to turn, or goes to one by its number. It costs the same for any number of turns. */
export function TurnPicker({ number, count, onPick }: TurnPickerProps): ReactNode {
  const pick = (next: number): void => {
    if (Number.isInteger(next) && next >= 1 && next <= count) onPick(next)
  }
  return (
    <span className="picker">
      <button type="button" aria-label="Earlier turn" disabled={number <= 1} onClick={() => pick(number - 1)}>
        <Icon name="back" />
      </button>
      <label>
        Turn{' '}
        <input
          type="number"
          min={1}
          max={count}
          value={number}
          onChange={(event) => pick(event.target.valueAsNumber)}
        />{' '}
        of {count}
      </label>
      <button type="button" aria-label="Later turn" disabled={number >= count} onClick={() => pick(number + 1)}>
        <Icon name="forward" />
      </button>
    </span>
  )
}
