import { isTurnloopError, type Model, type ModelEvent, type ModelRequest, type StopReason } from '@turnloop/core'
import { plainPrompt } from '../json-calls/plain-prompt.ts'
import { jsonReplyReader, textReplyReader } from '../json-calls/reply-reader.ts'
import { asksForCalls, replySchema } from '../json-calls/reply-schema.ts'
import type { EnginePiece, EngineQuestion, GgufEngine } from './gguf-engine.ts'

/** Where the engine comes from: started if need be. Rejects with what stands in the way, in words. */
export interface EngineSource {
  running(): Promise<GgufEngine>
  /** Told when an engine has died, so that the next question starts another. */
  drop(engine: GgufEngine): void
}

/**
 * A model from a GGUF file as the loop's model.
 *
 * Tools are called in JSON that the engine's grammar keeps to the tools' schemas, so that every model can, whatever it was
 * trained on. Throws what `GgufEngine.ask` and `EngineSource.running` reject with. On abort the stream ends.
 */
export function ggufModel(source: EngineSource): Model {
  let contextWindow: number | undefined
  return {
    provider: 'file',
    modelId: 'gguf',
    capabilities: { structuredOutput: true },
    /** Known from the first answer on. */
    get contextWindow() {
      return contextWindow
    },
    async *stream(request, { signal }) {
      const engine = await source.running()
      contextWindow = engine.contextTokens
      if (signal.aborted) return
      yield { type: 'started', modelId: engine.title }
      try {
        yield* reply(engine, request, signal)
      } catch (error) {
        if (hasDied(error)) source.drop(engine)
        throw error
      }
    },
  }
}

const STOPS: Readonly<Record<string, StopReason>> = { stop: 'endTurn', tool_calls: 'endTurn', length: 'maxTokens' }

async function* reply(engine: GgufEngine, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const reader = asksForCalls(request) ? jsonReplyReader() : textReplyReader()
  const question = { ...plainPrompt(request), schema: replySchema(request), settings: request.settings }
  const thoughts = createThoughts()
  for await (const piece of piecesOf(engine, question, signal)) {
    switch (piece.type) {
      case 'reading':
        // It lives, and has nothing to say yet: a long conversation takes minutes to read.
        yield { type: 'ping' }
        break
      case 'reasoning':
        yield* thoughts.think(piece.text)
        break
      case 'text':
        yield* thoughts.end()
        yield* reader.read(piece.text)
        break
      case 'end': {
        yield* thoughts.end()
        const stopReason = STOPS[piece.reason] ?? 'other'
        yield* reader.end({ stopReason, rawStopReason: piece.reason, ...(piece.usage && { usage: piece.usage }) })
      }
    }
  }
}

function createThoughts(): { think(text: string): ModelEvent[]; end(): ModelEvent[] } {
  let isOpen = false
  return {
    think(delta) {
      const start: ModelEvent[] = isOpen ? [] : [{ type: 'reasoning-start', id: 'thoughts' }]
      isOpen = true
      return [...start, { type: 'reasoning-delta', id: 'thoughts', delta }]
    },
    end() {
      if (!isOpen) return []
      isOpen = false
      return [{ type: 'reasoning-end', id: 'thoughts' }]
    },
  }
}

/** What the engine says, as something to iterate. Leaving it stops the engine. */
async function* piecesOf(
  engine: GgufEngine,
  question: EngineQuestion,
  signal: AbortSignal,
): AsyncGenerator<EnginePiece> {
  const waiting: EnginePiece[] = []
  const left = new AbortController()
  let wake = (): void => {}
  let isDone = false
  const onPiece = (piece: EnginePiece): void => {
    waiting.push(piece)
    wake()
  }
  const asked = engine.ask(question, { signal: AbortSignal.any([signal, left.signal]), onPiece }).finally(() => {
    isDone = true
    wake()
  })
  // Awaited below; whoever leaves before that is not interested.
  asked.catch(() => {})
  try {
    while (!isDone || waiting.length > 0) {
      yield* waiting.splice(0)
      if (!isDone && waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
    await asked
  } finally {
    left.abort()
  }
}

function hasDied(error: unknown): boolean {
  return isTurnloopError(error) && error.facts.died === true
}
