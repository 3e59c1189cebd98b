/**
 * Turns as OpenTelemetry-shaped spans, made from events alone.
 * @module
 */
export type { SpanAttributes, SpanEvent, SpanRecord } from './trace-span.ts'
export type { TraceOptions } from './trace-turns.ts'
export { traceTurns } from './trace-turns.ts'
