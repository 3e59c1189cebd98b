import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Recording } from './recordings.ts'
import { type ReplayOptions, replay } from './replay.ts'

/** A model that plays a recording, then answers every further request with `FOLLOW_UP`. */
export interface RecordedModel {
  readonly model: LanguageModelV4
  /** What it was asked, one prompt per request, at the provider interface. */
  readonly prompts: readonly LanguageModelV4Prompt[]
  /** The kinds of the recording's parts, in order, as far as they were read. */
  readonly parts: readonly string[]
  /** From now on it answers with `FOLLOW_UP`, wherever the recording stands. */
  end(): void
}

/** What the model says once the recording is through. */
export const FOLLOW_UP = 'Followed up.'

/** Make the model of a recording, of which `isPlayable` says that its provider is installed. */
export function recordedModel(
  recording: Recording,
  options: ReplayOptions & { onPart?(index: number): void } = {},
): RecordedModel {
  const provider = replay(recording, options)
  if (provider === undefined) throw new Error(`No provider for ${recording.name}.`)
  const prompts: LanguageModelV4Prompt[] = []
  const parts: string[] = []
  let count = countResponses(recording, options.cutAfter)
  const watch = (): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> =>
    new TransformStream({
      transform(part, controller) {
        options.onPart?.(parts.push(shapeOf(part)) - 1)
        controller.enqueue(part)
      },
    })
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: provider.provider,
    modelId: provider.modelId,
    supportedUrls: {},
    doGenerate: (asked) => provider.doGenerate(asked),
    async doStream(asked) {
      if (prompts.push(asked.prompt) > count) return { stream: followUp() }
      const { stream, ...more } = await provider.doStream(asked)
      return { stream: stream.pipeThrough(watch()), ...more }
    },
  }
  const end = (): void => {
    count = prompts.length
  }
  return { model, prompts, parts, end }
}

/** Whether the recording's provider is installed. */
export function isPlayable(recording: Recording): boolean {
  return replay(recording) !== undefined
}

/** The first of all places and those that show something new, for recordings with too many to try each. */
export function places(shapes: readonly string[]): number[] {
  const all = [...shapes.keys()]
  if (all.length < 150) return all
  const seen = new Set<string>()
  return all.filter((place) => {
    const isNew = !seen.has(shapes[place] ?? '')
    seen.add(shapes[place] ?? '')
    return isNew || place < 50 || place >= all.length - 50
  })
}

/** The kinds and the names of the fields in a line: what a parser's state depends on. */
export function lineShape(line: string): string {
  return [...line.matchAll(/"type":\s*"[^"]*"|"\w+":/g)].join()
}

function shapeOf(part: LanguageModelV4StreamPart): string {
  return [part.type, ...Object.keys(part)].join()
}

/** How many responses a cut leaves something of. */
function countResponses({ responses }: Recording, cutAfter = Number.POSITIVE_INFINITY): number {
  let left = cutAfter
  const whole = responses.findIndex((lines) => {
    left -= lines.length
    return left <= 0
  })
  return whole < 0 ? responses.length : whole + 1
}

const NONE = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }

function followUp(): ReadableStream<LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: FOLLOW_UP },
    { type: 'text-end', id: '1' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: NONE, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
    },
  ]
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
}
