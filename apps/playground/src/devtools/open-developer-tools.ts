import { preferences, setPreferences } from '../app/preferences.ts'

/** Open the panel for developers, or close it; it is so after a reload, too. */
export function toggleDeveloperTools(): void {
  setPreferences({ developerToolsOpen: !preferences.get().developerToolsOpen })
}
