import { aiSdkModel, browserFetch, type LanguageModel } from '@turnloop/ai-sdk'
import { type Model, TurnloopError } from '@turnloop/core'
import type { TableInfo } from '../data/table-info.ts'
import { browserModel } from './browser-model.ts'
import { browserModelApi } from './browser-model-api.ts'
import { checkBaseUrl } from './check-base-url.ts'
import { type EngineSource, ggufModel } from './gguf/gguf-model.ts'
import { practiceModel } from './practice-model.ts'

/** Which model to talk to. Kept by the caller; a key is only used here, never stored. */
export type ModelSettings =
  | { readonly kind: 'practice'; readonly speed?: 'human' | 'full' }
  | { readonly kind: 'browser' }
  | { readonly kind: 'file' }
  | { readonly kind: 'openai-compatible'; readonly baseUrl: string; readonly modelId: string; readonly apiKey?: string }
  | { readonly kind: 'openai' | 'anthropic' | 'google'; readonly modelId: string; readonly apiKey: string }

/** Settings of a model that is reached over the network. */
type RemoteSettings = Exclude<ModelSettings, { kind: 'practice' | 'browser' | 'file' }>

/** What models of this page are made from. */
export interface ModelContext {
  tables(): readonly TableInfo[]
  /** The engine of the model from a file. */
  readonly file: EngineSource
}

/**
 * Make the model that the settings name. A provider's code is fetched when it is first chosen.
 *
 * Rejects with `TurnloopError`: `bad-option` for settings that cannot work, `facts.field` naming the field; and
 * `model-unreachable` when the provider's code could not be fetched.
 */
export async function createModel(settings: ModelSettings, context: ModelContext): Promise<Model> {
  if (settings.kind === 'practice') return practiceModel({ ...settings, tables: context.tables })
  if (settings.kind === 'browser') return browserModel(browserModelApi())
  if (settings.kind === 'file') return ggufModel(context.file)
  checkModelId(settings.modelId)
  if (settings.kind !== 'openai-compatible') checkKey(settings.apiKey)
  const create = await loadProvider(settings)
  return aiSdkModel(create())
}

/** Fetch a provider's package and have it ready. Addresses are checked first: a wrong one needs no download. */
async function loadProvider(settings: RemoteSettings): Promise<() => LanguageModel> {
  const { modelId } = settings
  const apiKey = settings.apiKey?.trim()
  switch (settings.kind) {
    case 'openai-compatible': {
      const baseURL = checkBaseUrl(settings.baseUrl, location.href)
      const { createOpenAICompatible } = await load(import('@ai-sdk/openai-compatible'))
      const key = apiKey ? { apiKey } : {}
      const options = { ...key, name: 'openai-compatible', baseURL, fetch: browserFetch, includeUsage: true }
      return () => createOpenAICompatible(options)(modelId)
    }
    case 'openai': {
      const { createOpenAI } = await load(import('@ai-sdk/openai'))
      return () => createOpenAI({ apiKey: apiKey ?? '', fetch: browserFetch })(modelId)
    }
    case 'anthropic': {
      const { createAnthropic } = await load(import('@ai-sdk/anthropic'))
      // Without this header Anthropic refuses every call that comes from a page.
      const headers = { 'anthropic-dangerous-direct-browser-access': 'true' }
      return () => createAnthropic({ apiKey: apiKey ?? '', headers, fetch: browserFetch })(modelId)
    }
    case 'google': {
      const { createGoogle } = await load(import('@ai-sdk/google'))
      return () => createGoogle({ apiKey: apiKey ?? '', fetch: browserFetch })(modelId)
    }
  }
}

async function load<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module
  } catch (cause) {
    const message = 'The code for this provider could not be loaded. Are you offline? The practice model works without.'
    throw new TurnloopError('model-unreachable', message, { cause })
  }
}

function checkModelId(modelId: string): void {
  if (modelId.trim() !== '') return
  throw new TurnloopError('bad-option', 'The name of the model is missing, for example "llama3.2".', {
    facts: { field: 'modelId' },
  })
}

/** A header cannot carry line breaks or letters beyond Latin-1; such a key was not copied whole. */
function checkKey(apiKey: string): void {
  const key = apiKey.trim()
  const isSendable = [...key].every((letter) => letter >= '!' && letter <= '~')
  if (key !== '' && isSendable) return
  const what = key === '' ? 'The API key is missing.' : 'The API key has characters that no key has. Copy it again.'
  throw new TurnloopError('bad-option', what, { facts: { field: 'apiKey' } })
}
