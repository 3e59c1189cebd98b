import { type Model, type ModelRequest, type Tool, tool } from '@turnloop/core'
import { checkHistory, describeProblems } from '@turnloop/testing'
import { afterEach, expect } from 'vitest'
import { z } from 'zod'

/** Adds two numbers. */
export const add: Tool = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  execute: ({ a, b }) => String(a + b),
})

const problems: string[] = []

/** A model of which every request must be one that all providers take, or the test fails at its end. */
export function checked(model: Model): Model {
  return {
    ...model,
    stream(asked: ModelRequest, options: { signal: AbortSignal }) {
      const found = checkHistory(asked.messages, { request: true })
      // Thrown here it would be taken for an error of the model.
      if (!found.ok) problems.push(describeProblems(found.problems))
      return model.stream(asked, options)
    },
  }
}

afterEach(() => {
  expect(problems.splice(0)).toEqual([])
})
