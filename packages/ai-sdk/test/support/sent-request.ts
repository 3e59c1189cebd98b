import type { JsonObject, ModelEvent, ModelRequest } from '@turnloop/core'
import { type AiSdkModelOptions, aiSdkModel } from '../../src/ai-sdk-model.ts'
import type { LanguageModel } from '../../src/spec-versions.ts'
import { collect } from './collect.ts'

/** What a provider package sends for a request, and the events that come of an empty answer. */
export interface Sent {
  readonly body: JsonObject
  readonly events: readonly ModelEvent[]
}

/** Send one request through a provider package made with the `fetch` it is given, and catch it on its way out. */
export async function sentRequest(
  create: (fetch: typeof globalThis.fetch) => LanguageModel,
  asked: ModelRequest,
  options: AiSdkModelOptions = {},
): Promise<Sent> {
  let body: JsonObject = {}
  const catching: typeof fetch = async (_, init) => {
    body = JSON.parse(String(init?.body))
    return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
  }
  const events = await collect(aiSdkModel(create(catching), options), asked)
  return { body, events }
}
