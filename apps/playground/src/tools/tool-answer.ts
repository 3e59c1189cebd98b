import type { CallToolResult } from '@turnloop/core'
import { asJson } from './answers.ts'

/** A tool's answer in its two forms: text for the model, data for the page. */
export function toolAnswer(text: string, answer: object): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: asJson(answer) }
}
