import type { JsonObject, ModelSettings, Usage } from '@turnloop/core'
import type { PlainTurn } from '../json-calls/plain-prompt.ts'

/** A model that was read from a file and can be asked. One question at a time: others wait. */
export interface GgufEngine {
  /** What the file calls its model, else its own name. */
  readonly title: string
  /** How many tokens conversation and answer may have together. */
  readonly contextTokens: number
  /**
   * Ask, and be told what comes, piece by piece, until `end`.
   *
   * Rejects with `ModelError`: `context-too-long`, `model-refused-request`, or `model-failed` when the engine has died, after which every
   * question is. On abort it resolves once the engine has let go of the question.
   */
  ask(question: EngineQuestion, options: { signal: AbortSignal; onPiece(piece: EnginePiece): void }): Promise<void>
  /** End the engine and give its memory back. Whatever was asked is rejected. */
  close(): void
}

/** A conversation to go on with, and in which form. */
export interface EngineQuestion {
  readonly system: string
  readonly turns: readonly PlainTurn[]
  /** The JSON Schema that the answer has to fit. */
  readonly schema?: JsonObject | undefined
  readonly settings?: ModelSettings | undefined
}

/** `reading`: how much of the conversation the engine has read, which takes a while. */
export type EnginePiece =
  | { readonly type: 'reading' }
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'end'; readonly reason: string; readonly usage?: Usage }

/** How a file becomes an engine. `onShare` is told how much of the file has been read, from 0 to 1. */
export type StartEngine = (file: File, options: EngineOptions) => Promise<GgufEngine>

/** How large the engine is made, and who hears how far reading the file is. */
export interface EngineOptions {
  readonly contextTokens: number
  onShare?(share: number): void
}
