import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { AssistantMessage, AssistantPart, ProviderMetadata, ToolCallPart } from '@turnloop/core'
import { toFilePart } from './file-data.ts'

type Content = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/**
 * What a reply looks like when it goes back to the model: its parts in order, each with the metadata it came with.
 *
 * Reasoning that led to nothing is left out, since OpenAI refuses it. Of a cut reply, so are unsigned reasoning and calls
 * of the provider that it had not answered: their answers will never come. What remains of it is sent in full and not by
 * the name the server gave it. Parts that no provider takes back (sources, approval requests) are left out too. Empty if nothing is left that says something: Anthropic refuses a message without
 * blocks.
 */
export function toAssistantContent(message: AssistantMessage): Content {
  const parts = message.partial ? message.content.filter(isFinished).flatMap(withoutItemId) : message.content
  // A provider that paused its own turn wants it back exactly as it was.
  if (message.stopReason === 'pause') return parts.flatMap(toPart)
  const last = parts.findLastIndex(saysSomething)
  if (last < 0) return []
  return parts.flatMap((part, index) => (index > last && isReasoning(part) ? [] : toPart(part)))
}

function isFinished(part: AssistantPart, _: number, all: readonly AssistantPart[]): boolean {
  if (isReasoning(part)) return part.providerMetadata !== undefined
  if (part.type !== 'tool-call' || !part.providerExecuted) return true
  return all.some((other) => other.type === 'provider-result' && other.callId === part.callId)
}

/** OpenAI's package sends a part by its item id; of a reply that was cut, the server may have kept no such item. */
function withoutItemId(part: AssistantPart): AssistantPart[] {
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return [part]
  const providers = Object.entries(part.providerMetadata)
  if (!providers.some(([, metadata]) => 'itemId' in metadata)) return [part]
  // Without its id, reasoning is only what it holds in itself.
  const isSealed = providers.some(([, metadata]) => metadata.reasoningEncryptedContent)
  if (part.type === 'reasoning' && !isSealed) return []
  const named = providers.map(([provider, { itemId: _, ...metadata }]) => [provider, metadata])
  return [{ ...part, providerMetadata: Object.fromEntries(named) }]
}

/** Put a part's metadata, as it came from the provider, into the options that go back. */
export function withOptions<Part extends object>(
  part: Part,
  from: { readonly providerMetadata?: ProviderMetadata },
): Part & { providerOptions?: SharedV4ProviderOptions } {
  return from.providerMetadata === undefined ? part : { ...part, providerOptions: from.providerMetadata }
}

function isReasoning(part: AssistantPart): boolean {
  return part.type === 'reasoning' || (part.type === 'file' && part.reasoning === true)
}

function saysSomething(part: AssistantPart): boolean {
  if (part.type === 'text') return !isBlank(part)
  return part.type === 'tool-call' || part.type === 'provider-result' || (part.type === 'file' && !part.reasoning)
}

function isBlank(part: { readonly text: string }): boolean {
  return part.text.trim() === ''
}

function toPart(part: AssistantPart): Content {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      // Anthropic refuses blank blocks; Gemini and OpenAI hang signatures on them.
      if (isBlank(part) && part.providerMetadata === undefined) return []
      return [withOptions({ type: part.type, text: part.text }, part)]
    case 'file':
      return [withOptions(part.reasoning ? { ...toFilePart(part), type: 'reasoning-file' } : toFilePart(part), part)]
    case 'custom':
      // The kind came from a provider, whose type it is; the core keeps it as plain text.
      return [withOptions({ type: 'custom', kind: part.kind as `${string}.${string}` }, part)]
    case 'tool-call':
      return [withOptions(toCall(part), part)]
    case 'provider-result':
      return [
        withOptions(
          { type: 'tool-result', toolCallId: part.wireId, toolName: part.toolName, output: toOutput(part) },
          part,
        ),
      ]
    default:
      return []
  }
}

function toCall(part: ToolCallPart): Extract<Content[number], { type: 'tool-call' }> {
  const { toolName, wireId } = part
  const input = parseInput(part)
  return {
    type: 'tool-call',
    toolCallId: wireId,
    toolName,
    input,
    ...(part.providerExecuted && { providerExecuted: true }),
  }
}

/** Broken arguments would spoil every later request, so an empty object stands in; the call's result says what was wrong. */
function parseInput({ inputText, providerExecuted }: ToolCallPart): unknown {
  try {
    const input: unknown = JSON.parse(inputText)
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    return isObject || providerExecuted ? input : {}
  } catch {
    return {}
  }
}

function toOutput({
  isError,
  result,
}: Extract<AssistantPart, { type: 'provider-result' }>): LanguageModelV4ToolResultOutput {
  if (isError) return { type: 'error-json', value: result }
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result }
}
