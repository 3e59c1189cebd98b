import EngineWorker from './engine-worker.js?worker'

/** What the engine's worker is told before it has any code to listen with. */
export interface EngineRunOptions {
  readonly pathConfig: Readonly<Record<string, string>>
  readonly nbThread: number
  readonly compat: boolean
  readonly noWebGPU: boolean
}

/** Start the engine's worker from a file of this page. Called by the engine; see `own-origin-engine.ts`. */
export function startEngineWorker(options: EngineRunOptions): Worker {
  // A name is all that is there when a worker starts.
  return new EngineWorker({ name: JSON.stringify(options) })
}
