import { resultText, type ToolResult } from '@turnloop/core'
import type {
  CalculateAnswer,
  ChartAnswer,
  CodeAnswer,
  DescribeAnswer,
  ExportAnswer,
  FindNotesAnswer,
  QueryAnswer,
  SaveNoteAnswer,
  SlowCountAnswer,
} from '../tools/answers.ts'
import { escapeMarkdown } from './markdown-table.ts'

/** What each tool's answer holds. */
interface Answers {
  query_table: QueryAnswer
  describe_table: DescribeAnswer
  draw_chart: ChartAnswer
  calculate: CalculateAnswer
  save_note: SaveNoteAnswer
  find_notes: FindNotesAnswer
  slow_count: SlowCountAnswer
  export_table: ExportAnswer
  run_javascript: CodeAnswer
}

/** Whether a call did what it was asked to. */
export function isOk(result: ToolResult): boolean {
  return result.status === 'ok' && result.result.isError !== true
}

/** A tool's answer as data; `undefined` unless the call went well and holds one. */
export function answerOf<Name extends keyof Answers>(
  result: ToolResult | undefined,
  toolName: Name,
): Answers[Name] | undefined {
  if (result === undefined || result.toolName !== toolName || !isOk(result)) return undefined
  // The tool of that name is ours and writes this shape.
  return result.result.structuredContent as Answers[Name] | undefined
}

/** What went wrong with a call, for a reader, with what can be done about it. */
export function failureText(result: ToolResult): string {
  const what = `\`${result.toolName}\``
  switch (result.status) {
    case 'cancelled':
      return `${what} was stopped before it was done, so there is no answer. Ask again, or ask something else.`
    case 'unknown':
      return `${what} was given up; whether it finished is not known. Ask again if you need the answer.`
    case 'not-run':
      return `${what} was not run. Ask again if you need the answer.`
    case 'denied':
      if (result.toolName === 'ask_user') return 'You did not answer, so I have done nothing.'
      return `You did not allow ${what}, so it was not run.${reasonText(resultText(result.result))}`
    default:
      return `${what} failed. It says: “${plainError(resultText(result.result))}”`
  }
}

/** What the person gave as a reason, as the loop tells it. */
function reasonText(text: string): string {
  const note = /They said: ([\s\S]+)$/.exec(text)?.[1]?.trim()
  return note === undefined ? '' : ` You said: “${escapeMarkdown(note)}”`
}

function plainError(text: string): string {
  return (
    text
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/^Error: /, '') || 'nothing'
  )
}
