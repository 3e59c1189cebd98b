import type { JsonObject, ToolResult } from '@turnloop/core'
import { failureText, isOk } from './read-results.ts'

/** One call to make. */
export interface PlannedCall {
  readonly toolName: string
  readonly input: JsonObject
}

/** How a wish is carried out: calls in stages, each planned from the results before it, then an answer from all of them. */
export interface Script {
  readonly stages: readonly Stage[]
  /** Write the answer, in Markdown, from the results of every batch. */
  write(batches: readonly (readonly ToolResult[])[]): string
}

/** One batch of calls, made at the same time. */
export interface Stage {
  /** What is being done, in a sentence. */
  readonly thought: string
  /** No calls: there is nothing to do here. */
  plan(batches: readonly (readonly ToolResult[])[]): readonly PlannedCall[]
  /** The answer can do without it: a failure here does not end the script. */
  readonly isOptional?: true
}

/** What to do next: call tools, or answer. */
export type Step =
  | { readonly kind: 'call'; readonly thought: string; readonly calls: readonly PlannedCall[] }
  | { readonly kind: 'answer'; readonly text: string }

/**
 * Decide the next step of a script from what its tools have said so far.
 *
 * Pure, so a turn that was cut by a reload goes on where its results end. A batch that failed, was stopped or refused
 * ends the script with an explanation, unless the answer can do without it.
 */
export function nextStep(
  script: Script,
  batches: readonly (readonly ToolResult[])[],
  tools: ReadonlySet<string>,
): Step {
  let done = 0
  for (const { thought, plan, isOptional } of script.stages) {
    const calls = plan(batches.slice(0, done))
    if (calls.length === 0) continue
    const batch = batches[done]
    if (batch === undefined) return missingTool(calls, tools) ?? { kind: 'call', thought, calls }
    done += 1
    const failures = batch.filter((result) => !isOk(result))
    if (failures.length > 0 && !isOptional) return { kind: 'answer', text: failures.map(failureText).join('\n\n') }
  }
  return { kind: 'answer', text: script.write(batches.slice(0, done)) }
}

function missingTool(calls: readonly PlannedCall[], tools: ReadonlySet<string>): Step | undefined {
  const missing = calls.find((call) => !tools.has(call.toolName))
  if (missing === undefined) return undefined
  return { kind: 'answer', text: `For that I need the tool \`${missing.toolName}\`, and I was not given it.` }
}
