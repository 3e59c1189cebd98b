import { checkOptions, isDelay, type OptionRules } from './check-options.ts'
import type { Clock } from './clock.ts'
import { canonicalJson, type JsonObject } from './json.ts'
import type { CallToolResult } from './messages.ts'
import type { RunningTurn } from './running-turn.ts'

/** How a tool's results are kept and given again for the same arguments. */
export interface ToolCacheOptions {
  /** How long a result is good for. */
  readonly ttlMs: number
  /**
   * Who shares it. `'session'`, the default: the turns of one session; without one, one turn. `'user'`: all sessions of one
   * `userId`. `'all'`: everybody who uses this agent in this page. A function names a group of its own.
   */
  readonly scope?:
    | 'session'
    | 'user'
    | 'all'
    | ((turn: { sessionId?: string; userId?: string; turnId: string }) => string)
}

/** How many results are kept. */
const MOST = 1000

/** Results of one tool, by scope and arguments, in memory. */
export class ToolCache {
  readonly #options: ToolCacheOptions
  readonly #kept = new Map<string, { readonly result: CallToolResult; readonly until: number }>()

  constructor(options: ToolCacheOptions) {
    checkOptions(options, RULES, { where: 'toolHooks: cache', required: ['ttlMs'] })
    this.#options = options
  }

  get(key: string, clock: Clock): CallToolResult | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    if (found.until > clock.now()) return found.result
    this.#kept.delete(key)
    return undefined
  }

  /** Keep a result, unless it is an error or holds more than text and JSON. */
  put(key: string, result: CallToolResult, clock: Clock): void {
    if (result.isError || result.content.some(({ type }) => type !== 'text')) return
    this.#kept.set(key, { result, until: clock.now() + this.#options.ttlMs })
    // The oldest goes first.
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest)
  }

  /** Forget a result. */
  drop(key: string): void {
    this.#kept.delete(key)
  }

  keyOf(toolName: string, input: JsonObject, { turnId, sessionId, info: { userId } }: RunningTurn): string {
    return canonicalJson([toolName, this.#group({ turnId, sessionId, userId }), input])
  }

  #group({
    turnId,
    sessionId,
    userId,
  }: {
    turnId: string
    sessionId: string | undefined
    userId: string | undefined
  }): string {
    const { scope = 'session' } = this.#options
    const own = sessionId === undefined ? `turn:${turnId}` : `session:${sessionId}`
    if (scope === 'all') return 'all'
    if (scope === 'user') return userId === undefined ? own : `user:${userId}`
    if (scope === 'session') return userId === undefined ? own : `${own}:${userId}`
    return `own:${scope({ turnId, ...(sessionId !== undefined && { sessionId }), ...(userId !== undefined && { userId }) })}`
  }
}

const RULES: OptionRules<ToolCacheOptions> = {
  ttlMs: isDelay(1),
  scope: (value) =>
    typeof value === 'function' || value === 'session' || value === 'user' || value === 'all'
      ? undefined
      : "must be 'session', 'user', 'all' or a function",
}
