import type {
  AssistantPart,
  CallView,
  JsonObject,
  JsonValue,
  PendingRequest,
  ToolCallPart,
  ToolResult,
} from '@turnloop/core'
import { resultText } from '@turnloop/core'
import type { DynamicToolUIPart, ToolUIPart } from 'ai'
import { isSameData } from './same-data.ts'
import { errorResult, outputOf, resultOf } from './ui-tool-output.ts'

/** A tool part of a UI message, of a tool known by name or not. */
export type ToolPart = ToolUIPart | DynamicToolUIPart

type ProviderResultPart = Extract<AssistantPart, { type: 'provider-result' }>
type ProviderApprovalPart = Extract<AssistantPart, { type: 'provider-approval' }>

/** What is known about a call beside the call. */
export interface CallFacts {
  readonly result?: ToolResult | undefined
  readonly providerResult?: ProviderResultPart | undefined
  readonly providerApproval?: ProviderApprovalPart | undefined
  /** As it stands in a running turn. */
  readonly view?: CallView | undefined
  readonly asked?: PendingRequest | undefined
}

/** What `toolMetadata.turnloop` of a tool part holds: what the part has no place for, where it differs from the usual. */
export interface CallExtras {
  readonly wireId?: string
  readonly inputText?: string
  readonly status?: ToolResult['status']
  readonly startedAt?: number
  readonly durationMs?: number
  readonly result?: ToolResult['result']
}

/** A call and what has become of it, as a UI message shows it. */
export function toToolPart(call: ToolCallPart, facts: CallFacts): ToolPart {
  const { callId, toolName, providerExecuted, dynamic, providerMetadata } = call
  const toolMetadata = metadataOf(call, facts.result ?? facts.view?.result)
  const part = {
    ...(dynamic ? { type: 'dynamic-tool', toolName } : { type: `tool-${toolName}` }),
    toolCallId: callId,
    ...(providerExecuted && { providerExecuted }),
    ...(toolMetadata && { toolMetadata }),
    ...(providerMetadata && { callProviderMetadata: providerMetadata }),
    ...stateOf(call, facts),
  }
  // One of the many members of the union, by its type and state; TypeScript cannot put two choices together.
  return part as unknown as ToolPart
}

/** The arguments of a call; its text where that is no JSON. */
export function inputOf({ inputText }: Pick<ToolCallPart, 'inputText'>): JsonValue {
  if (inputText.trim() === '') return {}
  try {
    return JSON.parse(inputText)
  } catch {
    return inputText
  }
}

/** What a call and its result say that a tool part has no place for; `undefined` where that is nothing. */
export function metadataOf(call: ToolCallPart, result?: ToolResult): { turnloop: JsonObject } | undefined {
  const extras: CallExtras = {
    ...(call.wireId !== call.callId && { wireId: call.wireId }),
    ...(call.inputText !== JSON.stringify(inputOf(call)) && { inputText: call.inputText }),
    ...(result && resultExtras(result)),
  }
  // Plain data, and an interface is no index type.
  return Object.keys(extras).length > 0 ? { turnloop: extras as JsonObject } : undefined
}

function resultExtras({ status, startedAt, durationMs, result }: ToolResult): CallExtras {
  const usual = status === 'ok' ? resultOf(outputOf(result)) : errorResult(resultText(result))
  const isPlain = status === 'ok' || status === 'error' || status === 'denied'
  return {
    ...(!isPlain && { status }),
    ...(startedAt !== undefined && { startedAt }),
    ...(durationMs !== undefined && { durationMs }),
    ...(!isSameData(usual, result) && { result }),
  }
}

function stateOf(call: ToolCallPart, facts: CallFacts): object {
  const input = inputOf(call)
  const { providerResult, providerApproval, view } = facts
  const approval = providerApproval && { id: providerApproval.id }
  if (providerResult !== undefined) return { input, ...(approval && { approval }), ...providerState(providerResult) }
  const result = facts.result ?? view?.result
  if (result !== undefined) return { input, ...resultState(result), ...(approval && { approval }) }
  if (view?.state === 'input-streaming') {
    return { state: 'input-streaming', input: undefined, rawInput: view.inputText }
  }
  if (facts.asked !== undefined && facts.asked.ask !== 'answer') {
    return {
      state: 'approval-requested',
      input: facts.asked.path ? input : facts.asked.input,
      approval: { id: facts.asked.id },
    }
  }
  if (approval !== undefined) return { state: 'approval-requested', input, approval }
  if (view?.progress !== undefined) {
    return { state: 'output-available', input, output: view.progress, preliminary: true }
  }
  return { state: 'input-available', input }
}

function resultState(settled: ToolResult): object {
  const { callId, status, result } = settled
  const text = resultText(result)
  if (status === 'ok') return { state: 'output-available', output: outputOf(result) }
  if (status === 'denied') return { state: 'output-denied', approval: { id: callId, approved: false, reason: text } }
  return { state: 'output-error', errorText: text }
}

function providerState({ result, isError, providerMetadata }: ProviderResultPart): object {
  const more = providerMetadata && { resultProviderMetadata: providerMetadata }
  if (!isError) return { state: 'output-available', output: result, ...more }
  return { state: 'output-error', errorText: typeof result === 'string' ? result : JSON.stringify(result), ...more }
}
