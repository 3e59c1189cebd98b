import { type Tool, tool } from '@turnloop/core'
import type { CalculateAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { toolAnswer } from './tool-answer.ts'

/** The tool that calculates. */
export const calculate: Tool = tool({
  name: 'calculate',
  title: 'Calculate',
  description:
    'Evaluate arithmetic exactly: + - * / ^, brackets, functions such as sqrt, log10, round(x, 2), and percentages ("12 % of 340").',
  effect: 'read',
  input: z.object({ expression: z.string().describe('For example (340 - 12) / 4.') }),
  execute: async ({ expression }) => {
    // Loaded with the first calculation: it is larger than the rest of the tools.
    const { evaluateExpression } = await import('./evaluate-expression.ts')
    const answer: CalculateAnswer = { expression, value: evaluateExpression(expression) }
    return toolAnswer(`${expression} = ${answer.value}`, answer)
  },
})
