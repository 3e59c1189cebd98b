import { isRecord } from '../data/is-record.ts'
import { type Observable, observable } from './observable.ts'

interface KeptSettingsOptions<T> {
  /** The settings that what was stored stands for. It may be from another version of the page, and is `{}` at first. */
  read(stored: Readonly<Record<string, unknown>>): T
  /** What may be written down. Default: all of it. */
  write?(settings: T): T
  /** Whether a change in another tab of the page holds here too. */
  isShared: boolean
}

/** Settings that survive a reload. A browser that refuses storage, or has no room, keeps them until the page is closed. */
export function keptSettings<T>(key: string, options: KeptSettingsOptions<T>): Observable<T> {
  const { read, write = (all) => all, isShared } = options
  const settings = observable(read(readStored(key)))
  settings.subscribe(() => {
    const text = JSON.stringify(write(settings.get()))
    try {
      // What another tab wrote is not written again, or two tabs would answer each other without end.
      if (localStorage.getItem(key) !== text) localStorage.setItem(key, text)
    } catch {
      // Storage may be off or full.
    }
  })
  if (isShared) {
    window.addEventListener('storage', (event) => {
      if (event.key === key || event.key === null) settings.set(read(readStored(key)))
    })
  }
  return settings
}

function readStored(key: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
