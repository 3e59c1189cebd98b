import type { Hook, HookFunction } from './hook.ts'
import type { HookContext } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { AssistantMessage, CallToolResult, Message, ToolResult } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome, RollbackRecord } from './outcome.ts'
import type { TurnResult } from './turn-result.ts'

/** A hook at one point of the loop, or several that run in order. */
export type LoopHook<Payload, Replacement = never> =
  | HookFunction<HookContext & Payload, Replacement>
  | Hook<HookContext & Payload, Replacement>
  | readonly (HookFunction<HookContext & Payload, Replacement> | Hook<HookContext & Payload, Replacement>)[]

/** The request of the next model call. */
export interface RequestView extends ModelRequest {
  /** What this call adds to the one before. */
  readonly delta: readonly Message[]
  readonly modelId: string
}

/** A call that the model asks for, as it wrote it. */
export interface CallView {
  readonly callId: string
  readonly toolName: string
  readonly inputText: string
  /** The same parsed; absent where that is no JSON object. */
  readonly input?: JsonObject
}

/** How a turn ended, as its observers see it. */
export type TurnEndView = Omit<TurnResult, 'resume' | 'messages' | 'turnId'>

/**
 * Hooks at the points of the loop. Those before a step end the turn `failed` where they throw; those after one are isolated.
 * Source: the hooks guide, "Loop hooks".
 */
export interface LoopHooks {
  /** Before each model call. May replace parts of this request; messages that are replaced are healed first. */
  beforeModelCall?: LoopHook<{ readonly request: RequestView }, Partial<ModelRequest>>
  /** After each reply. */
  afterModelCall?: LoopHook<{ readonly reply: AssistantMessage }>
  /** Once per batch, before its calls are planned. May replace arguments. */
  beforeToolCall?: LoopHook<
    { readonly reply: AssistantMessage; readonly calls: readonly CallView[] },
    readonly { readonly callId: string; readonly input: JsonObject }[]
  >
  /** Once per batch, before the results join the transcript. May replace what they hold. */
  afterToolCall?: LoopHook<
    { readonly calls: readonly CallView[]; readonly results: readonly ToolResult[] },
    readonly { readonly callId: string; readonly result: CallToolResult }[]
  >
  /** Once per turn, before its end is stored, whatever that is. */
  afterTurn?: LoopHook<{ readonly result: TurnEndView }>
  /** Where the turn was stopped: what that left in the transcript. */
  onCancel?: LoopHook<{ readonly rollback: RollbackRecord }>
  /** Where it failed. */
  onError?: LoopHook<{ readonly error: Extract<Outcome, { kind: 'failed' }>['error'] }>
}
