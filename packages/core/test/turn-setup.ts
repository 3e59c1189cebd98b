import {
  type Agent,
  createMemoryLog,
  type Entry,
  type LogWriter,
  type Model,
  type ModelEvent,
  ToolRunner,
  type TurnEvent,
  type TurnInput,
  type TurnOptions,
} from '@turnloop/core'
import { manualClock } from '@turnloop/testing'

/** A turn whose log the test can read. */
export function startTurn(
  agent: Agent,
  input: TurnInput,
  options: TurnOptions = {},
): { turn: ToolRunner; log: LogWriter & { readonly entries: readonly Entry[] } } {
  const log = createMemoryLog(agent.clock)
  return { log, turn: new ToolRunner(agent.parts(log), input, options) }
}

/** Go on with the first `length` entries of a log, as after a crash. */
export function resumeTurn(
  agent: Agent,
  entries: readonly Entry[],
  options: TurnOptions = {},
): { turn: ToolRunner; log: LogWriter & { readonly entries: readonly Entry[] } } {
  const log = createMemoryLog(agent.clock)
  log.append(...entries)
  return { log, turn: ToolRunner.from(agent.parts(log), log.entries, options) }
}

/** Let everything that is ready run, without moving any clock. */
export async function idle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await manualClock().advance(0)
}

/** A model that streams the given events and then does as it is told, at once or when it is stopped. */
export function streamOf(
  events: readonly ModelEvent[],
  then: 'end' | 'hang' | { throws: unknown } | { onAbort: 'throw' | 'end' } = 'end',
): Model & { readonly left: number } {
  let left = 0
  return {
    provider: 'test',
    modelId: 'test',
    get left() {
      return left
    },
    stream(_request, { signal }) {
      let at = 0
      const next = async (): Promise<IteratorResult<ModelEvent>> => {
        const value = events[at]
        at += 1
        if (value !== undefined) return { done: false, value }
        if (then === 'hang') return new Promise(() => {})
        if (then !== 'end' && 'throws' in then) throw then.throws
        if (then !== 'end') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        if (then !== 'end' && then.onAbort === 'throw') throw signal.reason
        return { done: true, value: undefined }
      }
      const leave = async (): Promise<IteratorResult<ModelEvent>> => {
        left += 1
        return { done: true, value: undefined }
      }
      return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
    },
  }
}

/** The warnings among events, as text. */
export function warnings(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
}

/** Whether a value and all that it holds is frozen. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen)
}
