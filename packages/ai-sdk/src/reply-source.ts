import type { ModelEvent, ModelRequest, ModelSettings } from '@turnloop/core'
import { toCallOptions } from './call-options.ts'
import type { EventSource } from './event-reader.ts'
import { brokenReply, notAStream, toModelError } from './model-errors.ts'
import type { PromptWriter } from './prompt.ts'
import { callModel, type LanguageModel, type StreamPart } from './spec-versions.ts'
import { toModelEvents } from './stream-parts.ts'

/** One call of a model. */
export interface Call {
  readonly request: ModelRequest
  /** Of the model, for what the request leaves open. */
  readonly settings: ModelSettings
  readonly write: PromptWriter
}

/** The events of one reply of a language model, its errors made ours, for an `EventReader`. */
export function createReplySource(model: LanguageModel, call: Call): EventSource {
  const name = { provider: model.provider, modelId: model.modelId }
  let hasAnswered = false
  let contentType = ''
  let isSilent = true
  let hasError = false
  const notices = noticesFor(model, call)

  const errorOf = (thrown: unknown): Error => {
    // Nothing but an error came out of something that is no stream: the address is at fault, not the reply.
    if (isSilent && isDocument(contentType)) return notAStream(contentType, name)
    return toModelError(thrown, name, hasAnswered)
  }
  const settle = (event: ModelEvent): ModelEvent[] => {
    if (event.type === 'error') {
      hasError = true
      return [{ type: 'error', error: errorOf(event.error) }]
    }
    if (event.type === 'finish' && event.stopReason === 'error' && !hasError) {
      return [{ type: 'error', error: brokenReply(event.rawStopReason ?? 'error', name, finishMessage(event)) }, event]
    }
    isSilent &&= event.type === 'warning' || event.type === 'finish'
    return [event]
  }

  return {
    async open(signal) {
      const prompt = call.write(call.request.instructions, call.request.messages)
      const options = toCallOptions(call.request, prompt, call.settings)
      const reply = await callModel(model, { abortSignal: signal, ...options })
      contentType = reply.response?.headers?.['content-type'] ?? ''
      hasAnswered = true
      return reply.stream
    },
    read(part: StreamPart) {
      const events = toModelEvents(part)
      const only = events.length === 1 && notices.length === 0 ? events[0] : undefined
      // Most parts are small pieces by the thousand: nothing is copied for them.
      if (only === undefined || only.type === 'error' || only.type === 'finish') {
        return [...notices.splice(0), ...events.flatMap(settle)]
      }
      isSilent &&= only.type === 'warning'
      return events
    },
    atEnd() {
      if (isSilent && isDocument(contentType)) throw notAStream(contentType, name)
    },
    toError: errorOf,
  }
}

/** Google says in words why a reply ended as it did. */
function finishMessage({ providerMetadata = {} }: Extract<ModelEvent, { type: 'finish' }>): string | undefined {
  return Object.values(providerMetadata)
    .map((metadata) => metadata.finishMessage)
    .find((message) => typeof message === 'string')
}

/** What was asked for and cannot be passed on. */
function noticesFor(model: LanguageModel, { request, settings }: Call): ModelEvent[] {
  const reasoning = request.settings?.reasoning ?? settings.reasoning
  if (reasoning === undefined || model.specificationVersion === 'v4') return []
  const message = `Setting reasoning is not supported: the provider is of version ${model.specificationVersion}. Use providerOptions.`
  return [{ type: 'warning', message }]
}

function isDocument(contentType: string): boolean {
  return /^(text\/html|application\/json)/i.test(contentType)
}
