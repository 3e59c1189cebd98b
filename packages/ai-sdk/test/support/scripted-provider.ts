import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** One reply: a text, or calls with or without one. */
export interface ProviderStep {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[]
}

/** A language model at the provider interface that answers by script and notes its prompts. */
export function scriptedProvider(steps: readonly ProviderStep[]): {
  model: LanguageModelV4
  prompts: LanguageModelV4Prompt[]
} {
  const prompts: LanguageModelV4Prompt[] = []
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Only streams are scripted.')),
    async doStream({ prompt }) {
      const step = steps[prompts.push(prompt) - 1]
      if (step === undefined) throw new Error(`The script has no step ${prompts.length}.`)
      return { stream: streamOf(step) }
    },
  }
  return { model, prompts }
}

const NONE = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }

function streamOf({ calls = [], text }: ProviderStep): ReadableStream<LanguageModelV4StreamPart> {
  const said: LanguageModelV4StreamPart[] =
    text === undefined
      ? []
      : [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: text.slice(0, 3) },
          { type: 'text-delta', id: '1', delta: text.slice(3) },
          { type: 'text-end', id: '1' },
        ]
  const asked = calls.flatMap(({ id, input, name }): LanguageModelV4StreamPart[] => [
    { type: 'tool-input-start', id, toolName: name },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: name, input },
  ])
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    ...said,
    ...asked,
    {
      type: 'finish',
      finishReason: { unified, raw: unified },
      usage: { inputTokens: NONE, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
    },
  ]
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
