import { type Tool, tool } from '@turnloop/core'
import type { SlowCountAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { toolAnswer } from './tool-answer.ts'

/** A tool that takes its time and stops when it is asked to: for trying Stop, reload and two tabs. */
export const slowCount: Tool = tool({
  name: 'slow_count',
  title: 'Count slowly',
  description: 'Count from 1 to a number, about four steps a second, showing each. For demonstrations.',
  effect: 'read',
  input: z.object({
    to: z.number().int().min(1).max(1_000),
    stepMs: z.number().int().min(1).max(1_000).optional().describe('Default 250.'),
  }),
  execute: async ({ to, stepMs = 250 }, { signal, progress }) => {
    for (let done = 1; done <= to; done += 1) {
      await pause(stepMs, signal)
      progress({ label: `Counted ${done} of ${to}`, done, total: to })
    }
    const answer: SlowCountAnswer = { countedTo: to }
    return toolAnswer(`Counted to ${to}.`, answer)
  },
})

/** A tool that always throws: for seeing what an error looks like. */
export const failOnPurpose: Tool = tool({
  name: 'fail_on_purpose',
  title: 'Fail on purpose',
  description: 'Always fails. For demonstrations.',
  effect: 'read',
  input: z.object({}),
  execute: () => {
    throw new Error('This tool fails on purpose. Nothing is broken.')
  },
})

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
