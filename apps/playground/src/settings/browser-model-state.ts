import { type Observable, observable } from '../app/observable.ts'
import { type BrowserModelApi, browserModelApi, LANGUAGES } from '../model/browser-model-api.ts'

/** How far the browser's own model is. `share` of the download goes from 0 to 1. */
export type BrowserModelState =
  | { readonly kind: 'checking' | 'downloadable' | 'available' }
  | { readonly kind: 'unavailable' | 'failed'; readonly reason: string }
  | { readonly kind: 'downloading'; readonly share?: number }

/** What the settings know and do about the browser's own model. */
export interface BrowserModelDownload {
  readonly state: Observable<BrowserModelState>
  /** Ask the browser again. */
  check(): Promise<void>
  /** Have the browser fetch its model. It wants a click for that. */
  download(): Promise<void>
}

const NO_API = 'This browser has no model of its own.'
const NO_MODEL = 'This browser knows how, but offers no model on this device.'

/** Follow the browser's model from "not known" to "available". Never rejects: what goes wrong is a state. */
export function createBrowserModelDownload(api: BrowserModelApi | undefined): BrowserModelDownload {
  const state = observable<BrowserModelState>({ kind: 'checking' })
  return {
    state,
    async check() {
      // What a download says of itself is newer than the browser's answer.
      if (state.get().kind === 'downloading') return
      state.set(await ask(api))
    },
    async download() {
      if (api === undefined || state.get().kind === 'downloading') return
      state.set({ kind: 'downloading' })
      try {
        const session = await api.create({ ...LANGUAGES, monitor: (monitor) => follow(monitor, state) })
        session.destroy()
        state.set({ kind: 'available' })
      } catch (error) {
        const why = error instanceof Error && error.message !== '' ? ` ${error.message}` : ''
        state.set({ kind: 'failed', reason: `The browser could not fetch its model.${why}` })
      }
    },
  }
}

async function ask(api: BrowserModelApi | undefined): Promise<BrowserModelState> {
  if (api === undefined) return { kind: 'unavailable', reason: NO_API }
  try {
    const kind = await api.availability(LANGUAGES)
    return kind === 'unavailable' ? { kind, reason: NO_MODEL } : { kind }
  } catch {
    return { kind: 'unavailable', reason: NO_MODEL }
  }
}

function follow(monitor: EventTarget, state: Observable<BrowserModelState>): void {
  monitor.addEventListener('downloadprogress', (event) => {
    // A `ProgressEvent` by the draft, whose `loaded` is a share.
    const share = 'loaded' in event ? Number(event.loaded) : Number.NaN
    if (share >= 0 && share <= 1) state.set({ kind: 'downloading', share })
  })
}

/** The model of this browser. */
export const browserModelDownload: BrowserModelDownload = createBrowserModelDownload(browserModelApi())
