import type { JsonObject, JsonValue } from './json.ts'
import type { StopReason } from './stop-reason.ts'
import type { Usage } from './usage.ts'

/** One entry of the transcript. Plain, frozen, cloneable data; a closed message keeps its identity for ever. */
export type Message = UserMessage | AssistantMessage | ToolMessage

/** What a person said. With `synthetic`, what the loop said in their place, and why. */
export interface UserMessage {
  readonly id: string
  readonly role: 'user'
  /** Epoch ms. */
  readonly createdAt: number
  readonly content: readonly UserPart[]
  readonly synthetic?: SyntheticKind
  /** Of a note: whatever the app shows it by. */
  readonly data?: JsonValue
}

/**
 * What a message that no person and no model wrote is for.
 *
 * `'nudge'`: asks for what a reply announced or left out. `'finaliser'`: asks for the structured answer.
 * `'output-repair'`: says what was wrong with it. `'summary'`: stands for older messages. `'passthrough'`: tool results
 * that are the answer themselves. `'note'`: the app's own word to people, which no model ever sees.
 */
export type SyntheticKind =
  | 'nudge'
  | 'finaliser'
  | 'output-repair'
  | 'summary'
  | 'passthrough'
  | 'hook-retry'
  | 'injected'
  | 'blocked'
  | 'note'

/** What the model said. `stopReason` is the model's and is never rewritten to tell why the turn ended. */
export interface AssistantMessage {
  readonly id: string
  readonly role: 'assistant'
  readonly createdAt: number
  readonly content: readonly AssistantPart[]
  readonly stopReason: StopReason
  /** The provider's own finish word. */
  readonly rawStopReason?: string
  readonly usage?: Usage
  readonly modelId?: string
  readonly timing?: { readonly firstTokenMs?: number; readonly totalMs: number }
  /** Cut by cancel, crash or error: what had arrived until then. Also of a reply that still grows, `snapshot.open`. */
  readonly partial?: true
  /** The finish announced a tool call and none came. */
  readonly missingCall?: true
  readonly synthetic?: SyntheticKind
  /** Metadata of the whole reply, as the provider sent it with its finish. */
  readonly providerMetadata?: ProviderMetadata
}

/** The answers to one batch of calls: in call order, exactly one per client call, right after the message that asked. */
export interface ToolMessage {
  readonly id: string
  readonly role: 'tool'
  readonly createdAt: number
  readonly results: readonly ToolResult[]
}

/** What became of one tool call. */
export interface ToolResult {
  readonly callId: string
  readonly toolName: string
  readonly result: CallToolResult
  readonly status: ToolStatus
  readonly startedAt?: number
  readonly durationMs?: number
}

/**
 * `ok` and `error`: it ran and said so. `denied`: a person or a hook refused it. `cancelled`: stopped within its grace
 * time. `unknown`: we stopped waiting; it may or may not have taken effect. `not-run`: it never started.
 */
export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'not-run'

/** Opaque data that a provider wants back, by provider name. */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>

/** Text, from a person or from the model. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata
}

/** What the model thought before it answered. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata
}

/** A file, from a person or from the model. */
export interface FilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly data: FileData
  readonly filename?: string
  /** The model made it while reasoning: not an answer. */
  readonly reasoning?: true
  readonly providerMetadata?: ProviderMetadata
}

/** `blob` is the sha-256 of bytes kept in `store.blobs`. */
export type FileData =
  | { readonly base64: string }
  | { readonly url: string }
  | { readonly blob: string; readonly byteLength: number }

/** Something the model drew on. */
export interface SourcePart {
  readonly type: 'source'
  readonly sourceType: 'url' | 'document'
  readonly id: string
  readonly url?: string
  readonly title?: string
  readonly mediaType?: string
  readonly filename?: string
  readonly providerMetadata?: ProviderMetadata
}

/** Something only the provider understands; kept and sent back as it came. */
export interface CustomPart {
  readonly type: 'custom'
  readonly kind: string
  readonly providerMetadata?: ProviderMetadata
}

/** One call the model asks for. `inputText` is the model's own text, unparsed. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Ours, minted when the call was first seen; unique in the session. */
  readonly callId: string
  /** What goes over the wire: the provider's id if it was usable, else `callId`. */
  readonly wireId: string
  readonly toolName: string
  readonly inputText: string
  /** The provider runs it; the loop never does. */
  readonly providerExecuted?: true
  readonly dynamic?: true
  readonly providerMetadata?: ProviderMetadata
}

/** The answer to a call that the provider ran itself. It may come in a later message than its call. */
export interface ProviderResultPart {
  readonly type: 'provider-result'
  readonly callId: string
  readonly wireId: string
  readonly toolName: string
  readonly result: JsonValue
  readonly isError?: true
  readonly providerMetadata?: ProviderMetadata
}

/** The provider asks whether it may run one of its own calls. */
export interface ProviderApprovalPart {
  readonly type: 'provider-approval'
  readonly id: string
  readonly callId: string
  readonly providerMetadata?: ProviderMetadata
}

/** What a user message can hold. */
export type UserPart = TextPart | FilePart

/** What an assistant message can hold. */
export type AssistantPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | SourcePart
  | CustomPart
  | ToolCallPart
  | ProviderResultPart
  | ProviderApprovalPart

/** A tool's answer, exactly as in MCP (2025-11-25, `CallToolResult`). */
export interface CallToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** One piece of a tool's answer, as in MCP. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly _meta?: JsonObject }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string; readonly _meta?: JsonObject }
  | {
      readonly type: 'resource'
      readonly resource: {
        readonly uri: string
        readonly mimeType?: string
        readonly text?: string
        readonly blob?: string
      }
      readonly _meta?: JsonObject
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
      readonly description?: string
      readonly _meta?: JsonObject
    }

/** The calls in a message that the loop has to answer: those the provider does not run itself. */
export function clientCalls(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && part.providerExecuted !== true,
  )
}

/** Whether a message is the app's own word to people, and so part of no request. */
export function isNote(message: Message): boolean {
  return message.role === 'user' && message.synthetic === 'note'
}

/** All text of a message, parts joined as they stand. Reasoning is not text. */
export function messageText(message: UserMessage | AssistantMessage): string {
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}

/** All text blocks of a tool's answer, one per line. */
export function resultText(result: CallToolResult): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
