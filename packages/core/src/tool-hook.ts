import { checkOptions, isDelay, isFunction, isName, isText, type OptionRules } from './check-options.ts'
import type { HookContext } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { CallToolResult } from './messages.ts'
import type { ToolEffect } from './tool.ts'

/** A call on its way to its tool. */
export interface ToolHookCall {
  readonly callId: string
  readonly name: string
  readonly tool: {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly effect: ToolEffect
  }
  /** Where the tool comes from; absent: it is the page's own. */
  readonly source?: string
  /** As this hook got them, frozen. To change them, hand others to `next`. */
  readonly input: JsonObject
  /** The model's own, also where something has changed them. */
  readonly modelInput: JsonObject
}

/**
 * Middleware around a tool call: `next()` goes on with the same arguments, `next(input)` with others, and resolves with the
 * tool's result or rejects with what it threw.
 *
 * What it returns is the result: any value a tool may return. Not calling `next` answers in the tool's place; calling it
 * twice runs the tool twice; catching its error and returning makes the call a success.
 */
export type ToolHookFunction = (
  call: ToolHookCall,
  next: (input?: JsonObject) => Promise<CallToolResult>,
  context: HookContext,
) => unknown

/** A tool hook with a name. Made by `defineToolHook`. */
export interface NamedToolHook {
  readonly kind: 'tool-hook'
  readonly name: string
  /** Only for tools of this name; `*` stands for any characters. Default: all. */
  readonly match?: string
  /** For the hook and all that it goes on to. Default: no limit. */
  readonly timeoutMs?: number
  readonly run: ToolHookFunction
}

/** What may stand in `toolHooks`. A bare function is named by its place. */
export type ToolHook = ToolHookFunction | NamedToolHook

/** Options of `defineToolHook`. */
export type ToolHookOptions = Omit<NamedToolHook, 'kind'>

/** Give a tool hook a name, the tools it is for, and a time limit. Throws `bad-option` naming the option. */
export function defineToolHook(options: ToolHookOptions): NamedToolHook {
  checkOptions(options, RULES, { where: 'defineToolHook', required: ['name', 'run'] })
  return Object.freeze({ kind: 'tool-hook', ...options })
}

const RULES: OptionRules<ToolHookOptions> = { name: isName, match: isText, timeoutMs: isDelay(1), run: isFunction }

/** The hooks of a list with a name each, by their place where they have none. */
export function placeToolHooks(hooks: readonly ToolHook[], slot: string): readonly NamedToolHook[] {
  return hooks.map((hook, index) =>
    typeof hook === 'function' ? { kind: 'tool-hook', name: `${slot}[${index}]`, run: hook } : hook,
  )
}

/** Whether a hook is for a tool of this name. */
export function isFor({ match }: NamedToolHook, name: string): boolean {
  if (match === undefined) return true
  const parts = match.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(name)
}
