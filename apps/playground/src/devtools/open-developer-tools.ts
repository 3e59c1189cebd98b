import { type Observable, observable } from '../app/observable.ts'

/** Whether the panel for developers is open. */
export const isDeveloperToolsOpen: Observable<boolean> = observable(false)

/** Open the panel, or close it. */
export function toggleDeveloperTools(): void {
  isDeveloperToolsOpen.set(!isDeveloperToolsOpen.get())
}
