import type { FilePart, JsonValue, ModelEvent } from '@turnloop/core'
import { fromStreamData } from './file-data.ts'
import { toFinish } from './finish-part.ts'
import type { StreamPart } from './spec-versions.ts'

/**
 * What one part of a provider's stream means to the loop, in order.
 *
 * A part the loop has no use for is a `ping`: it says that the server is at work. So is a part of a kind that did not
 * exist when this was written: the interface grows inside a major version. Errors are passed on as the provider puts them.
 */
export function toModelEvents(part: StreamPart): ModelEvent[] {
  switch (part.type) {
    // These say the same in both worlds, so the many small ones cost no copy.
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-end':
    case 'source':
    case 'custom':
    case 'error':
      return [part]
    case 'stream-start':
      return [...new Set(part.warnings.map(describeWarning))].map((message) => ({ type: 'warning', message }))
    case 'response-metadata':
      return [part.modelId === undefined ? { type: 'started' } : { type: 'started', modelId: part.modelId }]
    case 'tool-call': {
      const { toolCallId: id, input, ...rest } = part
      return [{ ...rest, id, inputText: textOf(input) }]
    }
    case 'tool-result':
      return toProviderResult(part)
    case 'tool-approval-request': {
      const { toolCallId: id, ...rest } = part
      return [{ ...rest, type: 'provider-approval', id }]
    }
    case 'file':
      return [toFile(part)]
    case 'reasoning-file':
      return [{ ...toFile(part), reasoning: true }]
    case 'finish':
      return [toFinish(part)]
    default:
      return [PING]
  }
}

const PING: ModelEvent = { type: 'ping' }

type Part<Type extends StreamPart['type']> = Extract<StreamPart, { type: Type }>

/** Models in the page have been seen to hand over parsed arguments where text is due. */
function textOf(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
}

function toProviderResult(part: Part<'tool-result'>): ModelEvent[] {
  // The final result follows a preliminary one.
  if ('preliminary' in part && part.preliminary) return [PING]
  const { toolCallId: id, result, ...rest } = part
  // JSON by contract from v3 on; v2 says `unknown`, and its providers send what they parsed.
  return [{ ...rest, type: 'provider-result', id, result: (result ?? null) as JsonValue }]
}

function toFile(part: Part<'file' | 'reasoning-file'>): FilePart {
  return { ...part, type: 'file', data: fromStreamData(part.data) }
}

/** `unsupported: topK (details)`; the fields have other names in each version and kind. */
function describeWarning(warning: Part<'stream-start'>['warnings'][number]): string {
  const { details, feature, message, setting, tool, type }: AnyWarning = warning
  if (type === 'other' && message !== undefined) return message
  const subject = feature ?? setting ?? tool?.name ?? ''
  const more = details ?? message
  return `${type}: ${String(subject)}${more === undefined ? '' : ` (${more})`}`
}

interface AnyWarning {
  readonly type: string
  readonly feature?: string
  readonly setting?: unknown
  readonly tool?: { readonly name: string }
  readonly details?: string
  readonly message?: string
}
