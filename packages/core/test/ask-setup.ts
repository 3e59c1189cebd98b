import {
  createAgent,
  type ErrorRecord,
  ModelError,
  type Outcome,
  type TurnEvent,
  type TurnResult,
} from '@turnloop/core'
import {
  type ManualClock,
  manualClock,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptStep,
  scriptedModel,
} from '@turnloop/testing'

/** A try that fails in a way that may pass. */
export const overloaded = (facts: ModelError['facts'] = {}): ScriptStep => ({
  throws: new ModelError('model-overloaded', 'Busy.', { facts }),
})

/** A turn that has ended, and what it took. */
export interface Ran {
  readonly result: TurnResult
  readonly model: ScriptedModel
  readonly events: readonly TurnEvent[]
  readonly retries: readonly Extract<TurnEvent, { type: 'retry' }>[]
  readonly waitedMs: number
  /** Timers that are still set. */
  readonly timers: number
}

type Given = Omit<Partial<Parameters<typeof createAgent>[0]>, 'clock' | 'model'> & {
  /** Options of the scripted model, given the clock. */
  script?: (clock: ManualClock) => ScriptedModelOptions
}

/** Run one turn, with the clock moved on whenever the turn waits. */
export async function runTurn(steps: readonly ScriptStep[], { script, ...options }: Given = {}): Promise<Ran> {
  const clock = manualClock()
  const model = scriptedModel(steps, script?.(clock))
  const events: TurnEvent[] = []
  const turn = createAgent({ model, clock, ...options }).turn('Hello', { onEvent: (event) => events.push(event) })
  const done = turn.untilDone()
  let isDone = false
  const watching = done.finally(() => {
    isDone = true
  })
  const started = clock.now()
  await clock.advance(0)
  while (!isDone && clock.next() !== undefined) await clock.advance((clock.next() ?? 0) - clock.now())
  const retries = events.flatMap((event) => (event.type === 'retry' ? [event] : []))
  return { result: await watching, model, events, retries, waitedMs: clock.now() - started, timers: clock.pending }
}

/** The error of a failed turn. */
export function failure(outcome: Outcome): ErrorRecord | undefined {
  return outcome.kind === 'failed' ? outcome.error : undefined
}
