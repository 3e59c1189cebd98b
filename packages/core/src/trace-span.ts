import { randomId } from './random-id.ts'
/** What is known about a span, by name. Source: OpenTelemetry semantic conventions for generative AI, development. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What went wrong: a word of few, and a sentence. */
export interface SpanError {
  readonly type: string
  readonly message?: string
}

/** One finished span, in the shape of OpenTelemetry's data model. Plain data; times in epoch ms. */
export interface SpanRecord {
  /** 32 hex digits: a turn's id without its dashes. A turn that goes on after a pause or a reload has the same. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: 'internal' | 'client'
  readonly startTimeMs: number
  readonly endTimeMs: number
  readonly attributes: SpanAttributes
  readonly events: readonly SpanEvent[]
  /** `'unset'` is what a span that went well has: `ok` is for an application to say. */
  readonly status: { readonly code: 'unset' | 'ok' | 'error'; readonly message?: string }
}

/** Something that happened while a span was open. */
export interface SpanEvent {
  readonly name: string
  readonly timeMs: number
  readonly attributes?: SpanAttributes
}

/** A span that has not ended. */
export interface OpenSpan extends Omit<SpanRecord, 'endTimeMs' | 'attributes' | 'events' | 'status'> {
  readonly attributes: Record<string, SpanAttributes[string]>
  readonly events: SpanEvent[]
  status: SpanRecord['status']
  /** Over already, and kept until the reason is known. */
  endTimeMs?: number
}

/** What a span begins with; without a `spanId` it gets a random one. */
export type SpanStart = Pick<SpanRecord, 'traceId' | 'name' | 'kind' | 'startTimeMs' | 'attributes'> & {
  readonly spanId?: string
  readonly parentSpanId?: string | undefined
}

/** Begin a span. */
export function openSpan({ parentSpanId, attributes, ...start }: SpanStart): OpenSpan {
  return {
    spanId: randomSpanId(),
    ...start,
    ...(parentSpanId !== undefined && { parentSpanId }),
    attributes: { ...attributes },
    events: [],
    status: { code: 'unset' },
  }
}

/** What a span inside another one takes from it. */
export function childOf({ traceId, spanId }: OpenSpan): { traceId: string; parentSpanId: string } {
  return { traceId, parentSpanId: spanId }
}

/** Note what went wrong in a span. */
export function failSpan(span: OpenSpan, { type, message }: SpanError): void {
  span.attributes['error.type'] = type
  span.status = { code: 'error', ...(message !== undefined && { message }) }
}

/** The span as it is when it ends. */
export function closeSpan(span: OpenSpan, at: number): SpanRecord {
  // Clocks are set back, and a span cannot take less than no time.
  return { ...span, endTimeMs: Math.max(span.endTimeMs ?? at, span.startTimeMs) }
}

/** The trace of a turn: its id where that is a UUID, so that one is found by the other, else a hash of it. */
export function traceIdOf(turnId: string): string {
  const hex = turnId.replaceAll('-', '').toLowerCase()
  return /^(?=.*[1-9a-f].{0,15}$)[0-9a-f]{32}$/.test(hex)
    ? hex
    : [1, 2, 3, 4].map((seed) => hash(turnId, seed)).join('')
}

/** 32 bits as eight hex digits, never all zero. */
function hash(text: string, seed: number): string {
  let bits = seed
  for (let at = 0; at < text.length; at += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x9e3779b1 + 2 * seed)
    bits ^= bits >>> 15
  }
  return (bits >>> 0 || seed).toString(16).padStart(8, '0')
}

function randomSpanId(): string {
  return randomId().slice(-17).replace('-', '')
}
