import type {
  AssistantPart,
  FileData,
  FilePart,
  JsonValue,
  ProviderMetadata,
  ToolResult,
  UserPart,
} from '@turnloop/core'
import { NOT_RUN_TEXT } from '@turnloop/core'
import type { UIPart } from './ui-parts.ts'
import { errorResult, resultOf } from './ui-tool-output.ts'
import type { CallExtras, ToolPart } from './ui-tool-part.ts'

/** What a user message says, from its UI parts. Parts that a model cannot be told, such as data parts, are left out. */
export function toUserContent(parts: readonly UIPart[]): UserPart[] {
  return parts.flatMap((part): UserPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text, ...metadataOf(part) }]
    return part.type === 'file' ? [toFilePart(part)] : []
  })
}

/** What a reply says, from the UI parts of its step. */
export function toReplyContent(step: readonly UIPart[]): AssistantPart[] {
  return step.flatMap((part): AssistantPart[] => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [{ type: part.type, text: part.text, ...metadataOf(part) }]
      case 'file':
        return [toFilePart(part)]
      case 'reasoning-file':
        return [{ ...toFilePart(part), reasoning: true }]
      case 'source-url':
      case 'source-document':
        return [toSource(part)]
      case 'custom':
        return [{ type: 'custom', kind: part.kind, ...metadataOf(part) }]
      default:
        return isToolPart(part) ? toCallParts(part) : []
    }
  })
}

/** The results of a step's calls, in their order; empty as long as none of them is answered. */
export function toResults(step: readonly UIPart[]): ToolResult[] {
  const calls = step.filter(isToolPart).filter((part) => part.state !== 'input-streaming' && !part.providerExecuted)
  const results = calls.map(toResult)
  if (results.every((result) => result === undefined)) return []
  // A provider takes all answers of a batch or none.
  return results.map((result, index) => result ?? notRun(calls[index]))
}

/** Whether a UI part is a tool's. */
export function isToolPart(part: UIPart): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

/** What stands in `toolMetadata.turnloop`. Whoever wrote the message wrote that as well. */
function extrasOf({ toolMetadata }: ToolPart): CallExtras {
  const extras: unknown = toolMetadata?.turnloop
  return typeof extras === 'object' && extras !== null ? extras : {}
}

/** The name of the tool that a part is about. */
function toolNameOf(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

function toCallParts(part: ToolPart): AssistantPart[] {
  // Nothing was ever asked: the arguments are not all there.
  if (part.state === 'input-streaming') return []
  const { toolCallId: callId, input, providerExecuted, callProviderMetadata: providerMetadata, approval } = part
  const { wireId = callId, inputText } = extrasOf(part)
  const toolName = toolNameOf(part)
  const call: AssistantPart = {
    type: 'tool-call',
    callId,
    wireId,
    toolName,
    inputText: inputText ?? (input === undefined ? rawInputOf(part) : JSON.stringify(input)),
    ...(providerExecuted && { providerExecuted: true }),
    ...(part.type === 'dynamic-tool' && part.dynamic !== false && { dynamic: true as const }),
    ...(providerMetadata && { providerMetadata: toMetadata(providerMetadata) }),
  }
  if (!providerExecuted) return [call]
  const question: AssistantPart[] = approval ? [{ type: 'provider-approval', id: approval.id, callId }] : []
  return [call, ...question, ...toProviderResult(part, { callId, wireId, toolName })]
}

function rawInputOf(part: ToolPart): string {
  const raw = 'rawInput' in part ? part.rawInput : undefined
  return typeof raw === 'string' ? raw : JSON.stringify(raw ?? {})
}

function toProviderResult(part: ToolPart, call: { callId: string; wireId: string; toolName: string }): AssistantPart[] {
  if (part.state !== 'output-available' && part.state !== 'output-error') return []
  const { resultProviderMetadata: metadata } = part
  const base = {
    type: 'provider-result',
    ...call,
    ...(metadata && { providerMetadata: toMetadata(metadata) }),
  } as const
  // What a UI message holds is JSON.
  if (part.state === 'output-available') return [{ ...base, result: (part.output ?? null) as JsonValue }]
  return [{ ...base, result: part.errorText, isError: true }]
}

function toResult(part: ToolPart): ToolResult | undefined {
  const { startedAt, durationMs, status, result } = extrasOf(part)
  const usual = usualResult(part)
  if (usual === undefined) return undefined
  return {
    callId: part.toolCallId,
    toolName: toolNameOf(part),
    result: result ?? usual.result,
    status: status ?? usual.status,
    ...(startedAt !== undefined && { startedAt }),
    ...(durationMs !== undefined && { durationMs }),
  }
}

function usualResult(part: ToolPart): Pick<ToolResult, 'result' | 'status'> | undefined {
  switch (part.state) {
    case 'output-available':
      return part.preliminary ? undefined : { status: 'ok', result: resultOf(part.output) }
    case 'output-error':
      return { status: 'error', result: errorResult(part.errorText) }
    case 'output-denied':
      return denied(part.approval.reason)
    case 'approval-responded':
      return part.approval.approved ? undefined : denied(part.approval.reason)
    default:
      return undefined
  }
}

function denied(reason: string | undefined): Pick<ToolResult, 'result' | 'status'> {
  return { status: 'denied', result: errorResult(reason ?? 'The call was not allowed.') }
}

function notRun(part: ToolPart | undefined): ToolResult {
  const [callId, toolName] = part === undefined ? ['', ''] : [part.toolCallId, toolNameOf(part)]
  return { callId, toolName, status: 'not-run', result: errorResult(NOT_RUN_TEXT) }
}

function toFilePart(part: Extract<UIPart, { type: 'file' | 'reasoning-file' }>): FilePart {
  const name = 'filename' in part && part.filename !== undefined ? { filename: part.filename } : {}
  return { type: 'file', mediaType: part.mediaType, data: toFileData(part.url), ...name, ...metadataOf(part) }
}

function toFileData(url: string): FileData {
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1]
  if (base64 !== undefined) return { base64 }
  const [, blob, bytes] = /^turnloop-blob:([^?]*)\?bytes=(\d+)$/.exec(url) ?? []
  return blob === undefined ? { url } : { blob, byteLength: Number(bytes) }
}

function toSource(part: Extract<UIPart, { type: 'source-url' | 'source-document' }>): AssistantPart {
  const { sourceId: id, title } = part
  const name = title !== undefined && { title }
  if (part.type === 'source-url') {
    return { type: 'source', sourceType: 'url', id, url: part.url, ...name, ...metadataOf(part) }
  }
  const { mediaType, filename } = part
  const file = filename !== undefined && { filename }
  return { type: 'source', sourceType: 'document', id, mediaType, ...name, ...file, ...metadataOf(part) }
}

function metadataOf(part: { providerMetadata?: unknown }): { providerMetadata?: ProviderMetadata } {
  return part.providerMetadata === undefined ? {} : { providerMetadata: toMetadata(part.providerMetadata) }
}

/** Both are objects of JSON by provider name; theirs says so less strictly. */
function toMetadata(metadata: unknown): ProviderMetadata {
  return metadata as ProviderMetadata
}
