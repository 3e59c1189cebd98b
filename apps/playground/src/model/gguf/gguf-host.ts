import { isTurnloopError, ModelError, TurnloopError } from '@turnloop/core'
import { type Observable, observable } from '../../app/observable.ts'
import type { GgufEngine, StartEngine } from './gguf-engine.ts'
import type { EngineSource } from './gguf-model.ts'

/** How the model from a file stands. `share` is how much of the file has been read, from 0 to 1. */
export type GgufState =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading'; readonly name: string; readonly share: number }
  | {
      readonly kind: 'ready'
      readonly name: string
      readonly title: string
      readonly bytes: number
      readonly contextTokens: number
    }
  /** The file is known and the engine is not running: it is started by the next question. */
  | { readonly kind: 'resting'; readonly name: string }
  /** `isFinal`: the file is no model, and trying again would change nothing. */
  | { readonly kind: 'failed'; readonly name: string; readonly reason: string; readonly isFinal: boolean }

/** The one file model of a page: opened, kept running, started anew when it has died. */
export interface GgufHost extends EngineSource {
  readonly state: Observable<GgufState>
  /** Start a model from a file, in place of the one that runs. Never rejects: what goes wrong is a state. */
  open(file: File): Promise<void>
  /** Start the model that is open once more, with what holds now. */
  restart(): Promise<void>
  /** End the engine and forget the file. */
  close(): void
}

/** What the host needs of its page. `contextTokens` is asked at each start. */
export interface GgufHostOptions {
  readonly start: StartEngine
  contextTokens(): number
  /** A file from an earlier visit; rejects where the browser wants a click first. */
  recall?(): Promise<File | undefined>
}

const NOT_CHOSEN = 'No file with a model is open. Choose one in the model settings.'

/** Keep the model of a page. Nothing is loaded before it is opened or asked. */
export function createGgufHost({ start, contextTokens, recall }: GgufHostOptions): GgufHost {
  const state = observable<GgufState>({ kind: 'none' })
  let file: File | undefined
  let engine: Promise<GgufEngine> | undefined
  let run = 0

  /** Ends what runs; what is still being loaded ends as soon as it has come. */
  const end = (): void => {
    run += 1
    engine?.then((running) => running.close()).catch(() => {})
    engine = undefined
  }
  const load = (chosen: File): Promise<GgufEngine> => {
    end()
    const mine = run
    const set = (next: GgufState): void => {
      if (mine !== run) return
      if (next.kind === 'failed') engine = undefined
      state.set(next)
    }
    file = chosen
    engine = follow(start, { file, contextTokens: contextTokens(), set })
    return engine
  }
  return {
    state,
    open: (chosen) => load(chosen).then(() => {}, shownAsState),
    restart: () => (file === undefined ? Promise.resolve() : load(file).then(() => {}, shownAsState)),
    close() {
      end()
      file = undefined
      state.set({ kind: 'none' })
    },
    async running() {
      if (engine !== undefined) return engine
      const known = file ?? (await recall?.())
      if (known === undefined) throw new TurnloopError('bad-option', NOT_CHOSEN)
      // Another question may have started it meanwhile.
      return engine ?? load(known)
    },
    drop(dead) {
      engine
        ?.then((running) => {
          if (running !== dead) return
          end()
          if (file !== undefined) state.set({ kind: 'resting', name: file.name })
        })
        .catch(() => {})
    },
  }
}

/** Start an engine, telling how it stands. */
function follow(
  start: StartEngine,
  { file, contextTokens, set }: { file: File; contextTokens: number; set: (state: GgufState) => void },
): Promise<GgufEngine> {
  const { name, size: bytes } = file
  set({ kind: 'loading', name, share: 0 })
  const loading = start(file, { contextTokens, onShare: (share) => set({ kind: 'loading', name, share }) })
  loading.then(
    (running) => set({ kind: 'ready', name, title: running.title, bytes, contextTokens: running.contextTokens }),
    (error: unknown) => {
      const isFinal = isTurnloopError(error) && error.code === 'bad-option'
      set({ kind: 'failed', name, reason: reasonOf(error), isFinal })
    },
  )
  return loading
}

function reasonOf(error: unknown): string {
  return error instanceof ModelError ? error.message : 'The engine could not be started.'
}

// The state says what went wrong.
function shownAsState(): void {}
