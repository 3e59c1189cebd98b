import type { ToolResult } from '@turnloop/core'
import type { PlannedCall, Script } from './plan.ts'

/** One call, then an answer from its result. */
export function once(
  toolName: string,
  input: PlannedCall['input'],
  how: { thought: string; write(result: ToolResult | undefined): string },
): Script {
  return {
    stages: [{ thought: how.thought, plan: () => [{ toolName, input }] }],
    write: (batches) => how.write(batches[0]?.[0]),
  }
}

/** An answer that needs no tool. */
export function say(text: string): Script {
  return { stages: [], write: () => text }
}

/** A tool that went well and answered nothing readable was changed by someone; say so rather than guess. */
export function writeWith<Answer>(answer: Answer | undefined, write: (answer: Answer) => string): string {
  return answer === undefined ? 'The tool answered, but not in a form that I can read.' : write(answer)
}

/** What there is of these, each a paragraph. */
export function paragraphs(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n')
}

/** A value with all its digits. */
export function exact(value: number | boolean): string {
  return typeof value === 'number' ? value.toLocaleString('en', { maximumSignificantDigits: 15 }) : String(value)
}
