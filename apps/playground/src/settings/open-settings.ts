import { type Observable, observable } from '../app/observable.ts'

/** The parts of the settings. */
export type SettingsSection = 'model' | 'tools' | 'checks' | 'appearance' | 'storage'

/** The section of the settings that is open, if they are. */
export const openSection: Observable<SettingsSection | undefined> = observable<SettingsSection | undefined>(undefined)

/** Open the settings at a section. */
export function openSettings(section: SettingsSection): void {
  openSection.set(section)
}
