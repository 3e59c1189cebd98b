import { linkedController } from './abort.ts'
import { TurnloopError } from './errors.ts'
import type { HookContext } from './hook-context.ts'
import { type HookRunner, runnerOf } from './hook-runner.ts'
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { CallToolResult } from './messages.ts'
import { isFor, type NamedToolHook, type ToolHookCall } from './tool-hook.ts'
import type { ReadyCall } from './tool-plan.ts'
import { toCallToolResult } from './tool-result.ts'
import { blockedOutcome, readThrown } from './turn-control.ts'
import type { CallNext, CallScope } from './turn-hooks.ts'

/** What a hook of a call is shown of it. */
export function callView({ call, tool, input, modelInput }: ReadyCall): ToolHookCall {
  const { name, title, description, effect, source } = tool
  return {
    callId: call.callId,
    name,
    tool: { name, ...(title !== undefined && { title }), description, effect },
    ...(source !== undefined && { source }),
    input,
    modelInput: isJsonObject(modelInput) ? modelInput : input,
  }
}

/**
 * Run tool hooks around a call, the first outermost. Resolves with what the outermost returns, rejects with what it throws.
 *
 * A check error of any of them ends the turn `blocked`, a `StopTurn` ends it `completed`, a `RetryModel` lets the model read
 * something: all once the batch is answered.
 */
export function runMiddleware(
  hooks: readonly NamedToolHook[],
  given: { ready: ReadyCall; next: CallNext; scope: CallScope; slot: string },
): Promise<unknown> {
  const { ready, next, scope, slot } = given
  const runner = runnerOf(scope.turn)
  const passing = new WeakSet<object>()
  const links = hooks.filter((hook) => isFor(hook, ready.tool.name))
  const link = async (
    index: number,
    input: JsonObject | undefined,
    within: AbortSignal | undefined,
  ): Promise<unknown> => {
    const hook = links[index]
    if (hook === undefined) return next(input, within)
    const view = { ...callView(ready), ...(input !== undefined && { input }) }
    const goOn = async (changed: JsonObject | undefined, cut: AbortSignal): Promise<CallToolResult> => {
      if (cut.aborted) throw new TurnloopError('not-completed', 'This call has gone on without its hook.')
      try {
        const value = await link(index + 1, changed === undefined ? input : freezeInput(changed), cut)
        // The last link is the tool's own end, which the batch has to know again.
        if (index + 1 >= links.length) return value as CallToolResult
        return await toCallToolResult(value, Number.POSITIVE_INFINITY)
      } catch (error) {
        if (typeof error === 'object' && error !== null) passing.add(error)
        throw error
      }
    }
    return runLink(runner, hook, { view, goOn, slot, passing, scope, within })
  }
  return link(0, undefined, scope.within)
}

interface Link {
  readonly view: ToolHookCall
  /** Under a signal that aborts when the hook no longer waits. */
  goOn(input: JsonObject | undefined, cut: AbortSignal): Promise<CallToolResult>
  readonly slot: string
  /** What was thrown further in: no failure of the hook that lets it through. */
  readonly passing: WeakSet<object>
  readonly scope: CallScope
  readonly within: AbortSignal | undefined
}

async function runLink(runner: HookRunner, hook: NamedToolHook, link: Link): Promise<unknown> {
  const { view, goOn, slot, passing, scope, within } = link
  const place = {
    name: hook.name,
    slot,
    callId: view.callId,
    ...(hook.timeoutMs !== undefined && { timeoutMs: hook.timeoutMs }),
    ...(within && { within }),
  }
  const isPassing = (error: unknown): boolean => typeof error === 'object' && error !== null && passing.has(error)
  const { controller: cut, unlink } = linkedController(within)
  const run = (context: HookContext): unknown => hook.run(view, (input) => goOn(input, cut.signal), context)
  const end = await runner.run(place, run, { isPlain: true, isPassing }).finally(() => {
    unlink()
    // Whatever it has left under way is nobody's.
    cut.abort(LEFT)
  })
  if (!end.hasThrown) return end.value
  if (!isPassing(end.error)) hearThrown(end.error, { hook: hook.name, slot }, scope)
  throw end.error
}

/** What a thrown error says of the turn, beside what it says of the call. */
export function hearThrown(error: unknown, by: { hook: string; slot: string }, scope: CallScope): void {
  const word = readThrown(error)
  if (word?.kind === 'block') {
    const message = runnerOf(scope.turn).redact(word.message)
    scope.end(blockedOutcome({ ...word, message }, { ...by, phase: 'tool-input' }))
  }
  if (word?.kind === 'stop') scope.end({ kind: 'completed', stoppedBy: by.hook })
  if (word?.kind === 'retry') scope.retry(word.message)
}

const LEFT = 'Nobody waits for this any more.'

function freezeInput(input: unknown): JsonObject {
  // Typed as an object, and yet whatever a hook hands on; the schema says what is wrong with it.
  return isJsonObject(input) ? deepFreeze(structuredClone(input)) : {}
}

/** All texts of a JSON value, in order. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** The same value with other texts in place, in the same order. */
export function withTexts<Value extends JsonValue>(value: Value, texts: readonly string[]): Value {
  let at = 0
  const put = (inner: unknown): unknown => {
    if (typeof inner === 'string') return texts[at++] ?? inner
    if (Array.isArray(inner)) return inner.map(put)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, put(member)]))
  }
  // The same shape, text for text.
  return put(value) as Value
}
