import { type Tool, tool } from '@turnloop/core'
import { z } from './csp-zod.ts'

/** The tool that asks the person. It has nothing to run: the page shows the question, and what is answered is its result. */
export const askUserTool: Tool = tool({
  name: 'ask_user',
  title: 'Ask the user',
  description: 'Ask the user one short question, where the answer is in no table and a guess would be wrong.',
  effect: 'read',
  input: z.object({
    question: z.string().min(1).max(500),
    options: z.array(z.string()).max(6).optional().describe('Answers to choose from; others can be written.'),
  }),
})
