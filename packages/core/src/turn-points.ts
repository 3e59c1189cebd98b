import type { Hook } from './hook.ts'
import type { HookContext } from './hook-context.ts'
import type { HookEnd, HookRunner } from './hook-runner.ts'
import { deepFreeze, isJsonObject, type JsonObject } from './json.ts'
import type { CallView, LoopHooks } from './loop-hooks.ts'
import {
  type AssistantMessage,
  type CallToolResult,
  clientCalls,
  type Message,
  messageText,
  type ToolResult,
} from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome } from './outcome.ts'
import { reconcileHistory } from './reconcile.ts'
import { blockedOutcome, type HookWord } from './turn-control.ts'
import type { Judged } from './turn-hooks.ts'

type Point = keyof LoopHooks

interface PointHook {
  readonly name: string
  readonly timeoutMs?: number
  run(context: HookContext): unknown
}

/** The hooks at the points of the loop. */
export class TurnPoints {
  readonly #runner: HookRunner
  readonly #hooks: ReadonlyMap<Point, readonly PointHook[]>
  /** How many messages the last request had. */
  #asked = 0

  constructor(runner: HookRunner, sets: readonly LoopHooks[]) {
    this.#runner = runner
    this.#hooks = new Map(
      POINTS.map((point) => [point, sets.flatMap((set) => [set[point] ?? []].flat())] as const).map(
        ([point, hooks]) => [point, hooks.map((hook, index) => named(hook, `${point}[${index}]`))],
      ),
    )
  }

  async request(given: ModelRequest, again: () => Promise<ModelRequest>): Promise<Judged<ModelRequest>> {
    let edits: Partial<ModelRequest> = {}
    let base = this.#join() ? await again() : given
    for (const hook of this.#at('beforeModelCall')) {
      const request = { ...base, ...edits }
      const view = {
        ...ownRequest(request),
        delta: request.messages.slice(this.#asked),
        modelId: this.#runner.turn.modelId,
      }
      const end = await this.#run('beforeModelCall', hook, { request: view })
      const word = this.#read('beforeModelCall', hook, end)
      if ('outcome' in word) return { kind: 'end', outcome: word.outcome }
      if (word.kind === 'retry') this.#runner.inject(word.message)
      if (word.kind === 'replace' && isJsonObject(word.value)) edits = { ...edits, ...healed(word.value) }
      if (!this.#join()) continue
      const before = base.messages.length
      base = await again()
      const added = base.messages.slice(before)
      if (edits.messages !== undefined) edits = { ...edits, messages: [...edits.messages, ...added] }
    }
    const value = { ...base, ...edits }
    this.#asked = value.messages.length
    return { kind: 'go', value }
  }

  async replied(
    reply: AssistantMessage,
    end: (outcome: Outcome) => Judged<AssistantMessage>,
  ): Promise<Judged<AssistantMessage>> {
    for (const hook of this.#at('afterModelCall')) {
      const ended = await this.#run('afterModelCall', hook, { reply })
      const word = this.#read('afterModelCall', hook, ended)
      if ('outcome' in word) return end(word.outcome)
      if (word.kind === 'retry') return { kind: 'retry', text: word.message, hook: hook.name, value: reply }
    }
    return { kind: 'go', value: reply }
  }

  async batch(reply: AssistantMessage): Promise<Judged<ReadonlyMap<string, JsonObject>>> {
    const value = new Map<string, JsonObject>()
    for (const hook of this.#at('beforeToolCall')) {
      const calls = viewCalls(reply, value)
      const end = await this.#run('beforeToolCall', hook, { reply, calls })
      const word = this.#read('beforeToolCall', hook, end)
      if ('outcome' in word) return { kind: 'end', outcome: word.outcome }
      if (word.kind === 'retry') return { kind: 'retry', text: word.message, hook: hook.name, value }
      for (const item of word.kind === 'replace' && Array.isArray(word.value) ? word.value : [])
        if (isJsonObject(item) && typeof item.callId === 'string' && isJsonObject(item.input))
          value.set(item.callId, deepFreeze(structuredClone(item.input)))
    }
    return { kind: 'go', value }
  }

  async answered(
    reply: AssistantMessage,
    given: readonly ToolResult[],
  ): Promise<Judged<ReadonlyMap<string, CallToolResult>>> {
    const value = new Map<string, CallToolResult>()
    const calls = viewCalls(reply, new Map())
    for (const hook of this.#at('afterToolCall')) {
      const results = given.map((result) => ({ ...result, result: value.get(result.callId) ?? result.result }))
      const end = await this.#run('afterToolCall', hook, { calls, results })
      // An answer is never lost to it.
      if (end.word === undefined) continue
      const word = this.#read('afterToolCall', hook, end)
      if ('outcome' in word) return { kind: 'end', outcome: word.outcome, shown: value }
      if (word.kind === 'retry') return { kind: 'retry', text: word.message, hook: hook.name, value }
      for (const item of word.kind === 'replace' && Array.isArray(word.value) ? word.value : [])
        if (isReplacement(item)) value.set(item.callId, item.result)
    }
    return { kind: 'go', value }
  }

  /** Tell the observers, as long as it is not `over`. What they throw is noted, and nothing else. */
  async ended(outcome: Outcome, over: AbortSignal): Promise<void> {
    const tell = async (point: Point, payload: object): Promise<void> => {
      for (const hook of this.#at(point)) if (!over.aborted) await this.#run(point, hook, payload, over)
    }
    const { fold } = this.#runner.turn
    if (outcome.kind === 'cancelled' || outcome.kind === 'interrupted')
      await tell('onCancel', { rollback: outcome.rollback })
    if (outcome.kind === 'failed') await tell('onError', { error: outcome.error })
    const message = fold.lastReply
    const { hookErrors, evals, state } = this.#runner.turn
    const result = {
      outcome,
      ...(message !== undefined && { message }),
      text: message === undefined ? '' : messageText(message),
      usage: fold.usage,
      iterations: fold.iteration,
      hookErrors: [...hookErrors],
      evals: [...evals],
      state,
    }
    await tell('afterTurn', { result })
  }

  #at(point: Point): readonly PointHook[] {
    return this.#hooks.get(point) ?? []
  }

  #run(slot: Point, hook: PointHook, payload: object, over?: AbortSignal): Promise<HookEnd> {
    const place = { name: hook.name, slot, ...(hook.timeoutMs !== undefined && { timeoutMs: hook.timeoutMs }) }
    const call = (context: HookContext): unknown => hook.run(Object.assign(context, payload))
    return this.#runner.run(place, call, over === undefined ? {} : { over })
  }

  /** What a hook says here, or how that ends the turn. */
  #read(slot: Point, { name: hook }: PointHook, end: HookEnd): HookWord | { readonly outcome: Outcome } {
    if (end.word === undefined) return { outcome: { kind: 'failed', error: this.#runner.record(end.error) } }
    if (end.word.kind === 'stop') return { outcome: { kind: 'completed', stoppedBy: hook } }
    if (end.word.kind !== 'block') return end.word
    const phase = PHASES[slot] ?? 'output'
    const word = { ...end.word, message: this.#runner.redact(end.word.message) }
    return { outcome: blockedOutcome(word, { hook, slot, phase }) }
  }

  /** Let join the transcript what hooks want to; says whether there was anything. */
  #join(): boolean {
    const injected = this.#runner.takeInjected()
    if (injected.length === 0) return false
    this.#runner.turn.append(...injected.map((message) => ({ type: 'message', message }) as const))
    return true
  }
}

const POINTS = [
  'beforeModelCall',
  'afterModelCall',
  'beforeToolCall',
  'afterToolCall',
  'afterTurn',
  'onCancel',
  'onError',
] as const

const PHASES: { readonly [At in Point]?: 'input' | 'output' | 'tool-input' | 'tool-result' } = {
  beforeModelCall: 'input',
  beforeToolCall: 'tool-input',
  afterToolCall: 'tool-result',
}

function named(given: unknown, name: string): PointHook {
  // Checked by `defineHooks`. Its context has what this point's hooks are promised: `#run` puts it there.
  const hook = given as PointHook['run'] | Hook<HookContext, unknown>
  if (typeof hook === 'function') return { name, run: hook }
  const { timeoutMs } = hook
  return {
    name: hook.name || name,
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: hook.run,
  }
}

/** A request for a hook: what it does to it in place changes nothing. */
function ownRequest({ messages, tools, settings, ...rest }: ModelRequest): ModelRequest {
  return {
    ...rest,
    messages: Object.freeze(messages),
    tools: [...tools],
    ...(settings && { settings: { ...settings } }),
  }
}

/** Edits of a request, the messages made such as every provider accepts. */
function healed(edits: Partial<ModelRequest> & JsonObject): Partial<ModelRequest> {
  // Typed as edits of a request already; as JSON too, its messages would lose their type.
  const { messages } = edits as { messages?: readonly Message[] }
  return messages === undefined ? edits : { ...edits, messages: reconcileHistory(messages).messages }
}

function viewCalls(reply: AssistantMessage, changed: ReadonlyMap<string, JsonObject>): CallView[] {
  return clientCalls(reply).map(({ callId, toolName, inputText }) => {
    const input = changed.get(callId) ?? parsed(inputText)
    return { callId, toolName, inputText, ...(input !== undefined && { input }) }
  })
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isReplacement(item: unknown): item is { callId: string; result: CallToolResult } {
  if (!isJsonObject(item) || typeof item.callId !== 'string' || !isJsonObject(item.result)) return false
  return Array.isArray(item.result.content)
}
