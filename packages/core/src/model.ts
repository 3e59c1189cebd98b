import type { JsonObject, JsonValue } from './json.ts'
import type { FilePart, Message, ProviderMetadata, SourcePart } from './messages.ts'
import type { StopReason } from './stop-reason.ts'
import type { Usage } from './usage.ts'

/** A language model, as the loop sees it. Stateless: each request carries the whole conversation. */
export interface Model {
  readonly provider: string
  readonly modelId: string
  /** In tokens. Unknown means that the loop never compacts on its own. */
  readonly contextWindow?: number | undefined
  readonly capabilities?: ModelCapabilities
  /**
   * Ask once and stream the answer.
   *
   * Yields parts in the order they arrive and ends with one `finish`; a stream that ends without it counts as cut.
   * Throws `ModelError`. On abort it may end, throw or hang: the loop has already left. Leaving the iteration early
   * should close the connection.
   */
  stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** What a model can do, as far as its maker or wrapper knows. What is left out counts as unknown. */
export interface ModelCapabilities {
  /** It takes a schema for its answer (`ModelRequest.output`) and keeps to it. Unknown counts as no. */
  readonly structuredOutput?: boolean
}

/** What the model is asked. `messages` is pair-valid: each client call is followed at once by its one result. */
export interface ModelRequest {
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice?: ToolChoice
  readonly settings?: ModelSettings
  /** The answer must be JSON that fits this schema. */
  readonly output?: ModelOutput
  /** Where the provider may cache the beginning of the request; absent: nowhere. */
  readonly cacheMarks?: CacheMarks
}

/** The form an answer must have. */
export interface ModelOutput {
  /** JSON Schema, an object at its top. */
  readonly schema: JsonObject
  readonly name?: string
  readonly description?: string
}

/**
 * Marks for prompt caching: provider options that go on the instructions, on the last tool and on the last messages, so
 * that the provider finds the longest beginning it has seen before.
 */
export interface CacheMarks {
  readonly on: readonly ('instructions' | 'tools' | 'messages')[]
  /** By provider name, as its adapter wants them. */
  readonly providerOptions: Readonly<Record<string, JsonObject>>
}

/** Whether the model may, must, or must not call tools. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly toolName: string }

/** A tool as the model is told of it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, an object at its top. */
  readonly inputSchema: JsonObject
}

/** Generation settings; an absent one leaves the provider's default. */
export interface ModelSettings {
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  readonly headers?: Readonly<Record<string, string>>
  readonly providerOptions?: Readonly<Record<string, JsonObject>>
}

/**
 * One thing a model's stream can say. `id` of text, reasoning and input parts is the provider's, unique while the part
 * is open; the loop gives parts their own identity. Metadata may come with any of a part's events: the last one wins.
 */
export type ModelEvent =
  | { readonly type: 'started'; readonly modelId?: string }
  | {
      readonly type: 'text-start' | 'reasoning-start'
      readonly id: string
      readonly providerMetadata?: ProviderMetadata
    }
  | {
      readonly type: 'text-delta' | 'reasoning-delta'
      readonly id: string
      readonly delta: string
      readonly providerMetadata?: ProviderMetadata
    }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string; readonly providerMetadata?: ProviderMetadata }
  | {
      readonly type: 'tool-input-start'
      readonly id: string
      readonly toolName: string
      readonly providerExecuted?: boolean
    }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'tool-input-end'; readonly id: string }
  /** A whole call. Only this makes a call: input deltas are for showing. */
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly toolName: string
      readonly inputText: string
      readonly providerExecuted?: boolean
      readonly dynamic?: boolean
      readonly providerMetadata?: ProviderMetadata
    }
  | {
      readonly type: 'provider-result'
      readonly id: string
      readonly toolName: string
      readonly result: JsonValue
      readonly isError?: boolean
      readonly providerMetadata?: ProviderMetadata
    }
  | {
      readonly type: 'provider-approval'
      readonly approvalId: string
      readonly id: string
      readonly providerMetadata?: ProviderMetadata
    }
  | SourcePart
  | FilePart
  | { readonly type: 'custom'; readonly kind: string; readonly providerMetadata?: ProviderMetadata }
  | { readonly type: 'warning'; readonly message: string }
  /** The server is alive and has nothing to say yet: what keeps `idleMs` from running out. */
  | { readonly type: 'ping' }
  /** An error inside the stream. More may follow, but the reply counts as broken and none of its calls is run. */
  | { readonly type: 'error'; readonly error: unknown }
  | {
      readonly type: 'finish'
      readonly stopReason: StopReason
      readonly rawStopReason?: string
      readonly usage?: Usage
      readonly providerMetadata?: ProviderMetadata
    }
