import { keptSettings } from './kept-settings.ts'
import type { Observable } from './observable.ts'

/** How the page looks, kept on this device. `undefined` panes follow the width of the window. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  readonly sessionsOpen: boolean
  readonly inspectorOpen: boolean
  readonly developerToolsOpen: boolean
}

/** The preferences of this browser; tabs that are open keep their own. */
export const preferences: Observable<Preferences> = createPreferences()

/** Change some preferences. */
export function setPreferences(changes: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...changes })
}

function createPreferences(): Observable<Preferences> {
  const kept = keptSettings('ask-your-data/preferences', { read: toPreferences, isShared: false })
  kept.subscribe(() => applyTheme(kept.get().theme))
  applyTheme(kept.get().theme)
  return kept
}

function toPreferences(stored: Readonly<Record<string, unknown>>): Preferences {
  const { theme, sessionsOpen, inspectorOpen, developerToolsOpen } = stored
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    sessionsOpen: typeof sessionsOpen === 'boolean' ? sessionsOpen : true,
    inspectorOpen: typeof inspectorOpen === 'boolean' ? inspectorOpen : window.innerWidth >= 1200,
    developerToolsOpen: developerToolsOpen === true,
  }
}

function applyTheme(theme: Preferences['theme']): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
