import { type Tool, type ToolContext, type ToolEffect, TurnloopError, tool } from '@turnloop/core'
import { type Deferred, deferred } from './deferred.ts'

/** A tool that does not listen to its signal and settles only when the test says so. */
export interface DeafTool extends Tool {
  /** Resolves when the tool has been called for the first time. */
  readonly started: Promise<void>
  /** Every call so far, oldest first. */
  readonly calls: readonly DeafCall[]
  /** Let all open calls return `value`. Throws `bad-input` if none is open. */
  release(value: unknown): void
  /** Let all open calls throw `error`. Throws `bad-input` if none is open. */
  reject(error: unknown): void
}

/** One call that a deaf tool got. */
export interface DeafCall {
  readonly input: unknown
  readonly context: ToolContext
}

/** Options of `deafTool()`. */
export interface DeafToolOptions {
  /** Default `'deaf'`. */
  name?: string
  /** Default `'unsafe'`. */
  effect?: ToolEffect
  exclusive?: boolean
  timeoutMs?: number
}

/** Create a tool that ignores Stop, for tests of what the loop does with one that will not end. */
export function deafTool(options: DeafToolOptions = {}): DeafTool {
  const { name = 'deaf', ...rest } = options
  const calls: DeafCall[] = []
  const open: Deferred<unknown>[] = []
  const started = deferred()
  const takeOpen = (): Deferred<unknown>[] => {
    if (open.length > 0) return open.splice(0)
    throw new TurnloopError('bad-input', `${name}: no call is open. Await "started" before settling one.`)
  }
  const base = tool({
    name,
    description: 'Waits until the test lets it go.',
    ...rest,
    execute(input: unknown, context: ToolContext) {
      const call = deferred<unknown>()
      calls.push({ input, context })
      open.push(call)
      started.resolve()
      return call.promise
    },
  })
  return Object.freeze({
    ...base,
    started: started.promise,
    calls,
    release: (value: unknown) => {
      for (const call of takeOpen()) call.resolve(value)
    },
    reject: (error: unknown) => {
      for (const call of takeOpen()) call.reject(error)
    },
  })
}
