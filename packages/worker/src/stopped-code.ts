import { ToolError } from '@turnloop/core'
import type { JSValueHandle } from 'quickjs-wasi'

/** What a piece of code may use. */
export interface CodeLimits {
  readonly timeoutMs: number
  readonly memoryBytes: number
  readonly maxConsoleChars: number
}

/** What a piece of code threw. */
export interface Thrown {
  readonly name: string
  readonly message: string
  /** The places in the code itself, a line each. */
  readonly places: string
}

/** Why a piece of code ended without a value. */
export class Stopped extends Error {
  readonly why: 'late' | 'pending' | 'threw'
  readonly thrown: Thrown | undefined

  constructor(why: Stopped['why'], thrown?: Thrown) {
    super(why)
    this.why = why
    this.thrown = thrown
  }

  /** It could not be read; or it read something else that could not. */
  get isSyntax(): boolean {
    return this.thrown?.name === 'SyntaxError'
  }
}

/** Whatever the engine or the host threw, as the end of the code. */
export function asStopped(error: unknown): Stopped {
  if (error instanceof Stopped) return error
  // The engine's exceptions have these fields; so has what the host itself throws, such as for its own stack.
  const { name, message, stack } = error as Partial<Error>
  // WebKit's own stack is full before the engine finds out that its one is.
  const hint =
    error instanceof WebAssembly.RuntimeError ? ', with the stack full: the code may call itself too often' : ''
  return new Stopped('threw', { name: String(name), message: message + hint, places: placesIn(stack) })
}

/** What the code threw, which may be any value. */
export function readThrown(thrown: JSValueHandle): Thrown {
  if (!thrown.isError) return { name: 'Uncaught', message: textOf(thrown.vm.dump(thrown)), places: '' }
  const field = (name: string): string => textOf(thrown.vm.dump(thrown.getProp(name)))
  return { name: field('name'), message: field('message'), places: placesIn(field('stack')) }
}

function textOf(value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** The places in the code itself. */
function placesIn(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n').filter((line) => line.includes('code.js'))
  return lines.slice(0, 5).join('\n')
}

/** The error that the model reads, with what the code had written to its console until then. */
export function toToolError(error: unknown, { limits, written }: { limits: CodeLimits; written: string }): ToolError {
  const stopped = asStopped(error)
  const { text, reason } = explain(stopped, limits)
  const console = written === '' ? '' : `\nConsole until then:\n${written}`
  const code = stopped.why === 'late' ? 'tool-timed-out' : 'tool-failed'
  return new ToolError(code, text + console, { facts: { reason } })
}

function explain({ why, thrown }: Stopped, limits: CodeLimits): { reason: string; text: string } {
  const { timeoutMs, memoryBytes } = limits
  if (why === 'late') return { reason: 'timed-out', text: `The code ran longer than ${timeoutMs} ms and was stopped.` }
  if (why === 'pending') return { reason: 'pending', text: PENDING }
  const { name = 'Error', message = '', places = '' } = thrown ?? {}
  if (name === 'InternalError' && message === 'out of memory')
    return {
      reason: 'out-of-memory',
      text: `The code needed more than ${memoryBytes} bytes of memory and was stopped.`,
    }
  return { reason: 'threw', text: `${name}: ${message}${places && `\n${places}`}` }
}

const PENDING =
  'The code waits for a promise that nothing will settle: there are no timers, no network and no events here.'
