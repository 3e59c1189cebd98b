import type { AssistantPart, FilePart, JsonObject, UserPart } from '@turnloop/core'
import type { FileUIPart, UIMessage } from 'ai'
import { type CallFacts, toToolPart } from './ui-tool-part.ts'

/** A part of a UI message. */
export type UIPart = UIMessage['parts'][number]

/** What is known of a call, by its id. */
export type FactsOf = (callId: string) => CallFacts

/** The part of a user message as a UI message has it. */
export function toUserUIPart(part: UserPart): UIPart {
  return part.type === 'text' ? { type: 'text', text: part.text, ...metadataOf(part) } : toFileUIPart(part)
}

/**
 * A part of a reply as a UI message has it.
 *
 * `undefined` for the answer to a call that the provider runs, and for its question: those stand in the part of the call.
 */
export function toReplyUIPart(part: AssistantPart, factsOf: FactsOf, state: 'streaming' | 'done'): UIPart | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, state, ...metadataOf(part) }
    case 'file':
      return part.reasoning ? toReasoningFile(part) : toFileUIPart(part)
    case 'source':
      return toSourceUIPart(part)
    case 'custom':
      // The AI SDK's own providers name them so; one of another form is shown under its name all the same.
      return { type: 'custom', kind: part.kind as `${string}.${string}`, ...metadataOf(part) }
    case 'tool-call':
      return toToolPart(part, factsOf(part.callId))
    default:
      return undefined
  }
}

function toFileUIPart(part: FilePart): FileUIPart {
  const { mediaType, filename } = part
  const name = filename !== undefined && { filename }
  return { type: 'file', mediaType, url: urlOf(part), ...name, ...metadataOf(part) }
}

function toReasoningFile(part: FilePart): UIPart {
  return { type: 'reasoning-file', mediaType: part.mediaType, url: urlOf(part), ...metadataOf(part) }
}

/** The address of a file's data. Of stored bytes it is a name that only a store can resolve. */
function urlOf({ data, mediaType }: FilePart): string {
  if ('base64' in data) return `data:${mediaType};base64,${data.base64}`
  return 'url' in data ? data.url : `turnloop-blob:${data.blob}?bytes=${data.byteLength}`
}

function toSourceUIPart(part: Extract<AssistantPart, { type: 'source' }>): UIPart {
  const { id: sourceId, url = '', title, mediaType = '', filename } = part
  const more = metadataOf(part)
  if (part.sourceType === 'url')
    return { type: 'source-url', sourceId, url, ...(title !== undefined && { title }), ...more }
  const name = filename !== undefined && { filename }
  return { type: 'source-document', sourceId, mediaType, title: title ?? filename ?? '', ...name, ...more }
}

type ProviderMetadata = Record<string, JsonObject>

function metadataOf(part: { providerMetadata?: Readonly<ProviderMetadata> }): { providerMetadata?: ProviderMetadata } {
  return part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }
}
