import { type Observable, observable } from '../app/observable.ts'

/** Whether the command palette is open. */
export const isPaletteOpen: Observable<boolean> = observable(false)

/** Open the palette, or close it. */
export function togglePalette(): void {
  isPaletteOpen.set(!isPaletteOpen.get())
}
