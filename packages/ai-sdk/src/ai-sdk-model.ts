import {
  type Model,
  type ModelCapabilities,
  type ModelEvent,
  type ModelRequest,
  type ModelSettings,
  TurnloopError,
} from '@turnloop/core'
import { capabilitiesOf } from './capabilities.ts'
import { EventReader } from './event-reader.ts'
import { createPromptWriter } from './prompt.ts'
import { joinOptions } from './provider-options.ts'
import { createReplySource } from './reply-source.ts'
import type { LanguageModel } from './spec-versions.ts'

/** Options of `aiSdkModel()`. */
export interface AiSdkModelOptions {
  /** In tokens. Unknown means that the loop never compacts on its own. */
  contextWindow?: number
  /**
   * What the model can do, where it is otherwise than its provider and name tell. `structuredOutput` is known of the
   * models of OpenAI, Azure, Anthropic, Google, Mistral and xAI, and of an OpenAI-compatible provider that was set up
   * with `supportsStructuredOutputs`.
   */
  capabilities?: ModelCapabilities
  /** Used for every call; what a request sets itself goes before. */
  settings?: ModelSettings
  /**
   * Whether pictures and other files in a tool's answer are sent as files. Default: yes, except to Chat Completions
   * models (`provider` ends in `.chat`): most of their adapters write the bytes out as text, so there a note stands in.
   */
  filesInToolResults?: boolean
}

/**
 * Make a language model of the AI SDK the model of an agent.
 *
 * Takes what `openai('…')`, `anthropic('…')` and the other provider packages return, of AI SDK 5, 6 or 7. The model's
 * `stream()` throws `ModelError` and ends without a `finish` when its signal aborts; leaving it early closes the
 * connection. Files that are only an address are passed on as such: not every provider fetches them.
 *
 * Throws `bad-option` for anything else: a model's name, a provider, a model of another AI SDK version.
 */
export function aiSdkModel(languageModel: LanguageModel, options: AiSdkModelOptions = {}): Model {
  checkLanguageModel(languageModel)
  checkOptions(options)
  const { contextWindow } = options
  const { modelId, provider, specificationVersion: version } = languageModel
  const takesFiles = options.filesInToolResults ?? !provider.endsWith('.chat')
  const settings = withPings(options.settings ?? {}, provider)
  const write = createPromptWriter({ version, takesFiles })
  return Object.freeze({
    provider,
    modelId,
    ...(contextWindow !== undefined && { contextWindow }),
    capabilities: Object.freeze({ ...capabilitiesOf(languageModel), ...options.capabilities }),
    stream: (request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncIterable<ModelEvent> =>
      new EventReader(createReplySource(languageModel, { request, settings, write }), signal),
  })
}

/** Have Anthropic's package pass the server's signs of life on: it thinks long without a word, and limits count silence. */
function withPings(settings: ModelSettings, provider: string): ModelSettings {
  if (!/(^|\.)anthropic\./.test(provider)) return settings
  return { ...settings, providerOptions: joinOptions({ anthropic: { includePings: true } }, settings.providerOptions) }
}

function checkLanguageModel(model: unknown): asserts model is LanguageModel {
  const fail = (what: string): never => {
    throw new TurnloopError('bad-option', `aiSdkModel(): ${what}`)
  }
  if (typeof model === 'string') {
    fail(
      `"${model}" is only a name. Pass a model object of a provider package, such as openai(${JSON.stringify(model)}).`,
    )
  }
  if (typeof model === 'function') {
    fail('got a provider or a function. Call it with the name of a model, and pass what it returns.')
  }
  if (typeof model !== 'object' || model === null) {
    fail(`expected a language model of an AI SDK provider, such as openai('gpt-5.2'), and got ${String(model)}.`)
  }
  // Just checked: an object. Its fields are looked at one by one.
  const { doStream, specificationVersion } = model as Partial<LanguageModel>
  if (typeof doStream !== 'function') {
    fail('the object has no doStream(), so it is no language model (an embedding or image model?).')
  }
  if (specificationVersion !== 'v2' && specificationVersion !== 'v3' && specificationVersion !== 'v4') {
    fail(
      `the model has specification version ${JSON.stringify(specificationVersion)}; v2, v3 and v4 are understood. Install a provider package made for AI SDK 5, 6 or 7.`,
    )
  }
}

const OPTIONS: ReadonlySet<string> = new Set(['contextWindow', 'capabilities', 'settings', 'filesInToolResults'])

function checkOptions(options: AiSdkModelOptions): void {
  const unknown = Object.keys(options).find((option) => !OPTIONS.has(option))
  if (unknown !== undefined) throw new TurnloopError('bad-option', `aiSdkModel(): there is no option "${unknown}".`)
  const { contextWindow } = options
  if (contextWindow === undefined || (Number.isInteger(contextWindow) && contextWindow > 0)) return
  throw new TurnloopError('bad-option', 'aiSdkModel(): "contextWindow" must be a whole number of tokens above 0.')
}
