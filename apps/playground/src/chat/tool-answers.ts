import type { JsonObject, ToolResult } from '@turnloop/core'
import type { ChartAnswer, CodeAnswer, QueryAnswer } from '../tools/answers.ts'

/** The rows that `query_table` answered with; `undefined` when a result holds none. */
export function readQueryAnswer(result: ToolResult): QueryAnswer | undefined {
  const answer = result.result.structuredContent
  if (result.status !== 'ok' || !hasList(answer, 'columns') || !hasList(answer, 'rows')) return undefined
  // Our own tool wrote this shape; the lists it is drawn from have been looked at.
  return answer as unknown as QueryAnswer
}

/** The chart that `draw_chart` answered with; `undefined` when a result holds none. */
export function readChartAnswer(result: ToolResult): ChartAnswer | undefined {
  const answer = result.result.structuredContent
  if (result.status !== 'ok' || !hasList(answer, 'rows') || typeof answer?.x !== 'object') return undefined
  // Our own tool wrote this shape; what drawing cannot do without has been looked at.
  return answer as unknown as ChartAnswer
}

/** What `run_javascript` answered with; `undefined` when a result holds none. */
export function readCodeAnswer(result: ToolResult): CodeAnswer | undefined {
  const answer = result.result.structuredContent
  if (result.status !== 'ok' || answer?.value === undefined) return undefined
  const { value, console, note } = answer
  return {
    value,
    ...(typeof console === 'string' && { console }),
    ...(typeof note === 'string' && { note }),
  }
}

function hasList(answer: JsonObject | undefined, key: string): boolean {
  return Array.isArray(answer?.[key])
}
