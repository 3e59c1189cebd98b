import type { AssistantPart, ToolCallPart } from '@turnloop/core'

/** A stretch of a reply that is drawn as one thing. */
export type ReplySegment =
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'reasoning'; readonly key: string; readonly text: string; readonly isLast: boolean }
  | { readonly kind: 'calls'; readonly key: string; readonly calls: readonly ToolCallPart[] }
  | { readonly kind: 'source'; readonly key: string; readonly url: string; readonly title: string }

/** Cut a reply's content into stretches: neighbouring calls stand together, everything else alone. Empty text is left out. */
export function replySegments(content: readonly AssistantPart[]): ReplySegment[] {
  const segments: ReplySegment[] = []
  for (const [index, part] of content.entries()) {
    const last = segments.at(-1)
    if (part.type === 'tool-call' && last?.kind === 'calls') {
      segments[segments.length - 1] = { ...last, calls: [...last.calls, part] }
      continue
    }
    const segment = toSegment(part, index, content.length)
    if (segment !== undefined) segments.push(segment)
  }
  return segments
}

function toSegment(part: AssistantPart, index: number, count: number): ReplySegment | undefined {
  const key = String(index)
  if (part.type === 'text') return part.text.trim() === '' ? undefined : { kind: 'text', key, text: part.text }
  if (part.type === 'reasoning') {
    if (part.text.trim() === '') return undefined
    return { kind: 'reasoning', key, text: part.text, isLast: index === count - 1 }
  }
  if (part.type === 'tool-call') return { kind: 'calls', key, calls: [part] }
  if (part.type === 'source' && part.url !== undefined) {
    return { kind: 'source', key, url: part.url, title: part.title ?? part.url }
  }
  return undefined
}
