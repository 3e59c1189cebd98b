import { type Observable, observable } from './observable.ts'

/** How the page looks, kept on this device. `undefined` panes follow the width of the window. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  readonly sessionsOpen: boolean
  readonly inspectorOpen: boolean
}

const KEY = 'ask-your-data/preferences'

/** Preferences that survive a reload. A browser that refuses storage keeps them for this visit. */
export const preferences: Observable<Preferences> = createPreferences()

/** Change some preferences. */
export function setPreferences(changes: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...changes })
}

function createPreferences(): Observable<Preferences> {
  const store = observable(readPreferences())
  store.subscribe(() => {
    applyTheme(store.get().theme)
    try {
      localStorage.setItem(KEY, JSON.stringify(store.get()))
    } catch {
      // Storage may be off or full. The choice then holds until the page is closed.
    }
  })
  applyTheme(store.get().theme)
  return store
}

function readPreferences(): Preferences {
  const stored = readStored()
  return {
    theme: stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : 'system',
    sessionsOpen: typeof stored.sessionsOpen === 'boolean' ? stored.sessionsOpen : true,
    inspectorOpen: typeof stored.inspectorOpen === 'boolean' ? stored.inspectorOpen : window.innerWidth >= 1200,
  }
}

function readStored(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    // What was stored is an object by our own hand; anything else reads as no preference.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function applyTheme(theme: Preferences['theme']): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
