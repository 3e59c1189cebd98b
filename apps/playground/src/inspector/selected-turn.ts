import { type Observable, observable } from '../app/observable.ts'

/** The turn that the inspector was asked to show; without one it shows the last. */
export const selectedTurn: Observable<string | undefined> = observable<string | undefined>(undefined)

/** Show this turn in the inspector, or, without an id, always the last one. */
export function selectTurn(turnId: string | undefined): void {
  selectedTurn.set(turnId)
}
