import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
  SharedV4FileData,
} from '@ai-sdk/provider'

/** A language model of AI SDK 5 (v2), 6 (v3) or 7 (v4): what `openai('…')`, `anthropic('…')` and the like return. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4

/** The version of the provider interface that a model was made for. */
export type SpecVersion = LanguageModel['specificationVersion']

/** A prompt message in the form of the version it is for. */
export type PromptMessage = LanguageModelV2Message | LanguageModelV3Message | LanguageModelV4Message

/** A part of a reply's stream, of any version. */
export type StreamPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart | LanguageModelV4StreamPart

/** What a model is called with; only the prompt differs between versions. */
export type CallOptions = Omit<LanguageModelV4CallOptions, 'prompt'> & { prompt: PromptMessage[] }

/** What a model answers with, as far as it is read here. */
export interface ModelReply {
  stream: ReadableStream<StreamPart>
  response?: { headers?: Record<string, string> }
}

/** Call the model in its own version; `prompt` must have gone through `toVersion`. */
export async function callModel(model: LanguageModel, options: CallOptions): Promise<ModelReply> {
  if (model.specificationVersion === 'v4') {
    // `toVersion` has left the messages as v4 has them.
    return model.doStream(options as LanguageModelV4CallOptions)
  }
  const { reasoning: _, ...older } = options
  if (model.specificationVersion === 'v3') {
    // `toVersion` has put the messages into v3 form; the other options are the same.
    return model.doStream(older as LanguageModelV3CallOptions)
  }
  // As above, with v2 form. A v2 function tool has fewer fields, and none of the missing ones is ever set here.
  return model.doStream(older as LanguageModelV2CallOptions)
}

/** Put a v4 message into the form of an older version; what that version has no word for is left out, if all then all. */
export function toVersion(version: SpecVersion, message: LanguageModelV4Message): PromptMessage | undefined {
  if (version === 'v4' || message.role === 'system') return message
  const content = message.content.flatMap((part): unknown[] => {
    switch (part.type) {
      case 'custom':
      case 'reasoning-file':
        return []
      case 'tool-approval-response':
        return version === 'v2' ? [] : [part]
      case 'file':
        return [{ ...part, data: untagged(part.data) }]
      case 'tool-result':
        return [{ ...part, output: olderOutput(version, part.output) }]
      default:
        return [part]
    }
  })
  if (content.length === 0) return undefined
  // Each part has just been given the older form; TypeScript cannot follow that through the union of roles.
  return { ...message, content } as PromptMessage
}

function untagged(data: SharedV4FileData): unknown {
  if (data.type === 'data') return data.data
  return data.type === 'url' ? data.url : data
}

function olderOutput(version: 'v2' | 'v3', output: LanguageModelV4ToolResultOutput): unknown {
  if (output.type !== 'content') return output
  const value = output.value.map((item) => {
    if (item.type !== 'file' || item.data.type !== 'data') return item
    const file = { data: item.data.data, mediaType: item.mediaType }
    if (version === 'v2') return { type: 'media', ...file }
    // v3 providers take a picture only by this name: `file-data` is for documents.
    return { type: item.mediaType.startsWith('image/') ? 'image-data' : 'file-data', ...file }
  })
  return { ...output, value }
}
