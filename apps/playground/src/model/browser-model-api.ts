import type { JsonObject } from '@turnloop/core'

/** What a browser says of its own model. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** The part of the Prompt API that is used here. Source: Prompt API, draft of the Web Machine Learning group. */
export interface BrowserModelApi {
  availability(options?: LanguageOptions): Promise<Availability>
  create(options?: CreateOptions): Promise<BrowserSession>
}

/** The languages a session is asked for. */
export interface LanguageOptions {
  readonly expectedInputs?: readonly Expected[]
  readonly expectedOutputs?: readonly Expected[]
}

interface Expected {
  readonly type: 'text'
  readonly languages: readonly string[]
}

/** What a session begins with. */
export interface CreateOptions extends LanguageOptions {
  readonly initialPrompts?: readonly BrowserMessage[]
  readonly signal?: AbortSignal
  /** Told while the model is downloaded; `loaded` goes from 0 to 1. */
  monitor?(monitor: EventTarget): void
}

/** One thing said in a session. */
export interface BrowserMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** A conversation with the model, which takes memory until it is destroyed. */
export interface BrowserSession {
  /** In tokens, with what the session holds by now. */
  readonly contextUsage?: number
  readonly contextWindow?: number
  promptStreaming(
    input: readonly BrowserMessage[],
    options: { responseConstraint?: JsonObject; omitResponseConstraintInput?: boolean; signal?: AbortSignal },
  ): ReadableStream<string>
  destroy(): void
}

/** Asked with the same words everywhere: the answer of `availability()` holds for these only. */
export const LANGUAGES: Required<LanguageOptions> = {
  expectedInputs: [{ type: 'text', languages: ['en'] }],
  expectedOutputs: [{ type: 'text', languages: ['en'] }],
}

/** The API of this browser, which may be there and offer nothing: only `availability()` knows. */
export function browserModelApi(): BrowserModelApi | undefined {
  // Not in TypeScript's library yet; the interface above is what is used of it.
  return (globalThis as { LanguageModel?: BrowserModelApi }).LanguageModel
}
