import { describeThrown } from './errors.ts'
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { ToolCallPart } from './messages.ts'
import type { Checked } from './schema.ts'
import type { Tool } from './tool.ts'

/** A call that can run: its tool, its arguments as recorded, and as the tool gets them. */
export interface ReadyCall {
  readonly kind: 'ready'
  readonly call: ToolCallPart
  readonly tool: Tool
  /** Plain JSON, frozen: what is recorded and shown. */
  readonly input: JsonObject
  /** What the schema made of it. */
  readonly value: unknown
}

/** A call that cannot run, and what the model is told about it. */
export interface RefusedCall {
  readonly kind: 'refused'
  readonly call: ToolCallPart
  readonly problem: string
}

/** A call after planning. */
export type PlannedCall = ReadyCall | RefusedCall

/**
 * Turn what the model wrote into a call that can run, or into an explanation that it can act on.
 *
 * The name is taken exactly, else as the one that differs only in case. Arguments are parsed strictly: blank means `{}`,
 * and nothing cut is ever completed. Where they miss the schema, `null` for an optional field that may not be null counts
 * as absent, and text where only a list or object may stand is decoded once; both only if the result then fits. Never
 * throws. Source: the tools guide, "Arguments".
 */
export async function planCall(
  call: ToolCallPart,
  tools: readonly Tool[],
  hint: { probablyCut: boolean } = { probablyCut: false },
): Promise<PlannedCall> {
  const refuse = (problem: string): RefusedCall => ({ kind: 'refused', call, problem })
  const tool = resolveTool(call.toolName, tools)
  if (tool === undefined) return refuse(unknownTool(call.toolName, tools))
  const parsed = parseInput(call.inputText)
  if (!parsed.ok) return refuse(`${tool.name}: ${parsed.problem}${hint.probablyCut ? PROBABLY_CUT : ''}`)
  return checkInput(call, tool, parsed.value)
}

const PROBABLY_CUT = ' The output limit probably cut them off: send a shorter call.'

async function checkInput(call: ToolCallPart, tool: Tool, input: JsonObject): Promise<PlannedCall> {
  const asIs = await tool.check(input)
  if (asIs.ok) return { kind: 'ready', call, tool, input: deepFreeze(input), value: asIs.value }
  const mended = mend(input, tool.inputSchema, tool.inputSchema)
  if (mended !== input && isJsonObject(mended)) {
    const second = await tool.check(mended)
    if (second.ok) return { kind: 'ready', call, tool, input: deepFreeze(mended), value: second.value }
  }
  return { kind: 'refused', call, problem: misfit(tool, asIs) }
}

/** Check recorded arguments again, for a call that runs once more after a crash. */
export async function recheckCall(call: ToolCallPart, tools: readonly Tool[], input: JsonValue): Promise<PlannedCall> {
  const tool = resolveTool(call.toolName, tools)
  if (tool === undefined) return { kind: 'refused', call, problem: unknownTool(call.toolName, tools) }
  return checkInput(call, tool, isJsonObject(input) ? input : {})
}

function resolveTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const exact = tools.find((tool) => tool.name === name)
  if (exact !== undefined) return exact
  const close = tools.filter((tool) => tool.name.toLowerCase() === name.toLowerCase())
  return close.length === 1 ? close[0] : undefined
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name)
  const list = names.length === 0 ? 'There are no tools in this conversation.' : `Available tools: ${names.join(', ')}.`
  return `There is no tool named ${JSON.stringify(name)}. ${list}`
}

function parseInput(text: string): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  if (text.trim() === '') return { ok: true, value: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
    // A whole object that was written as text once more: the schema, an object at its top, wants what is inside.
    if (typeof value === 'string' && value.trimStart().startsWith('{')) value = JSON.parse(value)
  } catch (error) {
    return {
      ok: false,
      problem: `the arguments are not valid JSON (${describeThrown(error)}). Send one complete JSON object.`,
    }
  }
  if (isJsonObject(value)) return { ok: true, value }
  return { ok: false, problem: `the arguments must be a JSON object, not ${kindOf(value)}.` }
}

function misfit(tool: Tool, checked: Exclude<Checked, { ok: true }>): string {
  const problems = checked.problems.slice(0, 10).map((problem) => `- ${problem}`)
  return `${tool.name}: the arguments do not fit its schema:\n${problems.join('\n')}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

/** The value with misplaced nulls left out and misplaced text decoded; the same object if there was nothing to mend. */
function mend(value: JsonValue, schema: JsonValue | undefined, root: JsonObject): JsonValue {
  const rule = follow(schema, root)
  if (rule === undefined) return value
  if (typeof value === 'string') return decodeWhere(value, rule, root)
  if (Array.isArray(value)) return mendList(value, rule, root)
  return isJsonObject(value) ? mendObject(value, rule, root) : value
}

function mendList(value: readonly JsonValue[], rule: JsonObject, root: JsonObject): JsonValue {
  const items = value.map((item) => mend(item, rule.items, root))
  return items.some((item, index) => item !== value[index]) ? items : value
}

function mendObject(value: JsonObject, rule: JsonObject, root: JsonObject): JsonObject {
  const properties = isJsonObject(rule.properties) ? rule.properties : {}
  const required = Array.isArray(rule.required) ? rule.required : []
  const mended: Record<string, JsonValue | undefined> = {}
  let isChanged = false
  for (const [key, inner] of Object.entries(value)) {
    const declared = key in properties
    const isAbsent = inner === null && declared && !required.includes(key) && !mayBeNull(properties[key], root)
    if (!isAbsent) mended[key] = inner === undefined ? inner : mend(inner, properties[key], root)
    isChanged ||= isAbsent || mended[key] !== inner
  }
  return isChanged ? mended : value
}

function decodeWhere(text: string, rule: JsonObject, root: JsonObject): JsonValue {
  if (!wantsContainer(rule, root)) return text
  try {
    const decoded: unknown = JSON.parse(text)
    if (Array.isArray(decoded) || isJsonObject(decoded)) return mend(decoded, rule, root)
  } catch {
    // Not JSON after all: the schema's own message about the text is the better one.
  }
  return text
}

function wantsContainer(rule: JsonObject, root: JsonObject): boolean {
  const branches = branchesOf(rule)
  if (branches !== undefined) return branches.every((branch) => wantsContainer(follow(branch, root) ?? {}, root))
  const types = typesOf(rule)
  return types.length > 0 && types.every((type) => type === 'array' || type === 'object' || type === 'null')
}

function mayBeNull(schema: JsonValue | undefined, root: JsonObject): boolean {
  const rule = follow(schema, root)
  if (rule === undefined) return true
  const branches = branchesOf(rule)
  if (branches !== undefined) return branches.some((branch) => mayBeNull(branch, root))
  if (Array.isArray(rule.enum)) return rule.enum.includes(null)
  if ('const' in rule) return rule.const === null
  const types = typesOf(rule)
  return types.length === 0 || types.includes('null')
}

function branchesOf(rule: JsonObject): readonly JsonValue[] | undefined {
  if (Array.isArray(rule.anyOf)) return rule.anyOf
  return Array.isArray(rule.oneOf) ? rule.oneOf : undefined
}

function typesOf(rule: JsonObject): readonly JsonValue[] {
  if (Array.isArray(rule.type)) return rule.type
  return typeof rule.type === 'string' ? [rule.type] : []
}

/** A schema with its local reference followed, a few steps at most. */
function follow(schema: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  let current = schema
  for (let step = 0; step < 8; step += 1) {
    if (!isJsonObject(current)) return undefined
    if (typeof current.$ref !== 'string' || !current.$ref.startsWith('#/')) return current
    current = lookUp(root, current.$ref)
  }
  return undefined
}

function lookUp(root: JsonObject, reference: string): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const step of reference.slice(2).split('/')) {
    value = isJsonObject(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return value
}
