import type { JsonObject } from './json.ts'
import type { ModelCapabilities, ModelTool } from './model.ts'
import { type AnySchema, type Checked, checkValue, toJsonSchema } from './schema.ts'

/** What a turn's answer must be. */
export interface OutputSpec {
  /** What the answer is called towards the provider. */
  readonly name: string
  /** JSON Schema, an object at its top. */
  readonly schema: JsonObject
  /**
   * `'always'`: the schema goes along with every model call. `'final'`: tools first, then one more call without tools and
   * with the schema. `'tool'`: the answer is the arguments of a tool.
   */
  readonly policy: 'always' | 'final' | 'tool'
  /** How many repair calls an answer that does not fit may cost. */
  readonly retries: number
  /** Check an answer; never rejects. */
  check(value: unknown): Promise<Checked>
}

/** What an `OutputSpec` is made from, besides its schema. */
export interface OutputSpecOptions {
  /**
   * `'auto'`: with a model that takes schemas `'always'`, or `'final'` where there are tools, since a schema on every call
   * makes models write their tool calls as text; with any other model `'tool'`.
   */
  readonly policy: 'auto' | OutputSpec['policy']
  readonly retries: number
  readonly hasTools: boolean
  readonly capabilities: ModelCapabilities | undefined
  /** What the schema is called in error messages. */
  readonly where: string
}

/**
 * Settle, before a turn's first model call, what its answer must be and how the model is brought to give it.
 *
 * Throws `bad-option` for a schema that cannot be shown to a model or is not an object at its top.
 */
export function createOutputSpec(schema: AnySchema, options: OutputSpecOptions): OutputSpec {
  const { policy, hasTools, capabilities, where } = options
  const suited = hasTools ? 'final' : 'always'
  const auto = capabilities?.structuredOutput === true ? suited : 'tool'
  return {
    name: 'answer',
    schema: toJsonSchema(schema, where, 'the answer'),
    policy: policy === 'auto' ? auto : policy,
    retries: options.retries,
    check: (value) => checkValue(schema, value),
  }
}

/** The tool whose arguments are the answer, under a name that is not taken. */
export function answerTool(spec: OutputSpec, taken: ReadonlySet<string>): ModelTool {
  let name = 'final_answer'
  for (let number = 2; taken.has(name); number += 1) name = `final_answer_${number}`
  return {
    name,
    description:
      'Gives the final answer and ends the task. Call it once, alone, when you have all you need. Do not answer in text.',
    inputSchema: spec.schema,
  }
}

/** What asks the model for the answer once its work is done. A short schema is written out. */
export function finaliserText(spec: OutputSpec): string {
  if (spec.policy === 'tool') return 'Now give the final answer: call the tool for it. Do not answer in text.'
  const schema = JSON.stringify(spec.schema)
  const rule = schema.length < 4000 ? ` It must fit this JSON Schema:\n${schema}` : ''
  return `Now give the final answer as one JSON object, with nothing around it.${rule}`
}

/** What tells the model why its answer was not taken, ten problems at most, and asks for it once more. */
export function repairText(problems: readonly string[], spec: OutputSpec): string {
  const list = problems.slice(0, 10).map((problem) => `\n- ${problem}`)
  const repair =
    spec.policy === 'tool'
      ? 'Call the tool for the final answer again, with corrected arguments.'
      : 'Send the corrected JSON object alone, with nothing around it.'
  return `The answer was not accepted:${list.join('')}\n${repair}`
}
