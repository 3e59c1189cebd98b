import {
  createAgent,
  type Entry,
  type Tool,
  type ToolRunner,
  type TurnEvent,
  type TurnResult,
  tool,
} from '@turnloop/core'
import { deferred, type ScriptedCall, type ScriptedModel, scriptedModel } from '@turnloop/testing'
import { idle, startTurn } from './turn-setup.ts'

/** Options of an agent, its model apart. */
export type Options = Omit<Parameters<typeof createAgent>[0], 'model'>

/** A turn with one batch, and all that is seen of it. */
export interface Batch {
  readonly turn: ToolRunner
  readonly log: ReturnType<typeof startTurn>['log']
  readonly model: ScriptedModel
  readonly events: readonly TurnEvent[]
  readonly done: Promise<TurnResult>
}

/** A turn that asks for these calls once, and then answers; it stands right after the request for them. */
export function batchOf(calls: readonly ScriptedCall[], options: Options): Batch {
  const model = scriptedModel([{ calls }, 'Done.'])
  const events: TurnEvent[] = []
  const { turn, log } = startTurn(createAgent({ model, ...options }), 'Go', { onEvent: (event) => events.push(event) })
  return { turn, log, model, events, done: turn.untilDone() }
}

/** Tools that wait, and who runs now, who ran, and how many ran at once. */
export interface Gates {
  readonly tools: readonly Tool[]
  readonly order: readonly string[]
  readonly running: ReadonlySet<string>
  readonly most: number
  let(...go: string[]): Promise<void>
}

/** Tools that wait until they are let go, and tell who runs beside whom. */
export function gates(names: readonly string[], shape: { exclusive?: readonly string[] } = {}): Gates {
  const open = new Map(names.map((name) => [name, deferred()]))
  const running = new Set<string>()
  const order: string[] = []
  let most = 0
  const tools = names.map((name) =>
    tool({
      name,
      description: name,
      effect: 'read',
      exclusive: shape.exclusive?.includes(name) ?? false,
      execute: async () => {
        running.add(name)
        order.push(name)
        most = Math.max(most, running.size)
        await open.get(name)?.promise
        running.delete(name)
        return name
      },
    }),
  )
  return {
    tools,
    order,
    running,
    get most(): number {
      return most
    },
    let: async (...go: string[]): Promise<void> => {
      for (const name of go) open.get(name)?.resolve()
      await idle()
    },
  }
}

/** A call without arguments. */
export const call = (name: string): ScriptedCall => ({ name })

/** Settled calls in the order they were written: name and status, and whether late. */
export function settled(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}${entry.late ? ' late' : ''}`] : [],
  )
}
