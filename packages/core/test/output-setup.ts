import type { AnySchema, JsonObject } from '@turnloop/core'
import { type ZodType, z } from 'zod'
import { createOutputSpec, type OutputSpec, type OutputSpecOptions } from '../src/answer-tool.ts'
import { type ParsedOutput, parseOutput } from '../src/output-text.ts'

/** A schema for answers, made as an agent makes one. */
export function specOf(schema: ZodType, options: Partial<OutputSpecOptions> = {}): OutputSpec {
  const defaults = { policy: 'auto', retries: 1, hasTools: false, capabilities: undefined, where: 'output' } as const
  // Zod's general type does not say that it describes itself as JSON Schema; every schema of it does.
  return createOutputSpec(schema as unknown as AnySchema, { ...defaults, ...options })
}

/** `{ ok: boolean }`, what most answers here should be. */
export const okSpec: OutputSpec = specOf(z.object({ ok: z.boolean() }))

/** What a text says: the value and how it was found, or the problems. */
export async function read(text: string, spec: OutputSpec = okSpec): Promise<unknown[] | readonly string[]> {
  const parsed = await parseOutput(text, spec)
  return parsed.ok ? [parsed.rung, parsed.value] : parsed.problems
}

/** The problems of a text, its nearest JSON, and that it has no value. */
export function failureOf(parsed: ParsedOutput): JsonObject {
  if (parsed.ok) return { isFound: true }
  return { problems: parsed.problems, ...(parsed.partial !== undefined && { partial: parsed.partial }) }
}
