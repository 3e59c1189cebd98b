import { type Observable, observable } from '../app/observable.ts'

/** Whether the command palette is open. */
export const isPaletteOpen: Observable<boolean> = observable(false)

/** How often it was opened: one that is opened while the last one still fades away starts empty all the same. */
export const openings: Observable<number> = observable(0)

/** Open the palette, or close it. */
export function togglePalette(): void {
  if (!isPaletteOpen.get()) openings.set(openings.get() + 1)
  isPaletteOpen.set(!isPaletteOpen.get())
}
