import type { JsonObject, JsonValue } from '@turnloop/core'

/** What a server asks of the person, in the middle of a call. */
export type McpElicitation =
  | {
      readonly mode: 'form'
      readonly message: string
      /** A flat object of text, numbers, flags and choices, as JSON Schema. Fields with a `default` may be left out. */
      readonly requestedSchema: JsonObject
    }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId: string }

/** What the person said. `decline`: no. `cancel`: did not say. */
export type McpElicitationAnswer =
  | { action: 'accept'; content?: { [field: string]: string | number | boolean | string[] } }
  | { action: 'decline' }
  | { action: 'cancel' }

/** What a server wants a model to say: the `params` of `sampling/createMessage`, as they came. */
export interface McpSampling {
  readonly messages: readonly JsonValue[]
  readonly systemPrompt?: string
  readonly maxTokens: number
  readonly [key: string]: JsonValue | undefined
}

/** What the model said. */
export interface McpSamplingAnswer {
  role: 'assistant'
  model: string
  content: { type: 'text'; text: string } | { type: 'image' | 'audio'; data: string; mimeType: string }
  stopReason?: string
}

/** What a page can do for a server. Each is told to the server only if it is there. */
export interface McpPageHandlers {
  /**
   * Ask the person. The call waits, without a time limit, until this resolves. Show who asks, and never a form for
   * secrets; a `url` is to be shown whole and opened only by a click. What it throws the server is told as a failure.
   */
  elicit?(request: McpElicitation, context: { signal: AbortSignal }): Promise<McpElicitationAnswer>
  /** Ask a model for the server. Whose model, and whether at all, is for the page to say, best by asking the person. */
  sample?(request: McpSampling, context: { signal: AbortSignal }): Promise<McpSamplingAnswer>
}
