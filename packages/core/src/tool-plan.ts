import { describeThrown } from './errors.ts'
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { ToolCallPart } from './messages.ts'
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
 * and nothing cut is ever completed. `null` for an optional field that may not be null counts as absent, and where the
 * arguments miss the schema, text where only a list or object may stand is decoded once; both only if the result fits.
 * Never throws. Source: the tools guide, "Arguments".
 */
export function planCall(
  call: ToolCallPart,
  tools: readonly Tool[],
  hint: { probablyCut: boolean } = { probablyCut: false },
): Promise<PlannedCall> {
  return planWith(call, tools, (tool) => {
    const parsed = parseInput(call.inputText)
    if (parsed.ok) return checkInput(call, tool, parsed.value)
    return refuse(call, `${tool.name}: ${parsed.problem}${hint.probablyCut ? PROBABLY_CUT : ''}`)
  })
}

const PROBABLY_CUT = ' The output limit probably cut them off: send a shorter call.'

/** Check recorded arguments again, for a call that runs once more after a crash. Never throws. */
export function recheckCall(call: ToolCallPart, tools: readonly Tool[], input: JsonValue): Promise<PlannedCall> {
  return planWith(call, tools, (tool) => checkInput(call, tool, isJsonObject(input) ? input : {}))
}

/** Plan for the tool that is meant. Tools are foreign code: one whose check throws is no reason to hurt other calls. */
async function planWith(
  call: ToolCallPart,
  tools: readonly Tool[],
  plan: (tool: Tool) => PlannedCall | Promise<PlannedCall>,
): Promise<PlannedCall> {
  try {
    const tool = resolveTool(call.toolName, tools)
    return tool === undefined ? refuse(call, unknownTool(call.toolName, tools)) : await plan(tool)
  } catch (error) {
    return refuse(call, `${call.toolName}: the arguments could not be checked (${describeThrown(error)}).`)
  }
}

function refuse(call: ToolCallPart, problem: string): RefusedCall {
  return { kind: 'refused', call, problem }
}

async function checkInput(call: ToolCallPart, tool: Tool, input: JsonObject): Promise<PlannedCall> {
  let problems: readonly string[] = []
  // Misplaced nulls go first, or a schema that coerces would make values of them; text is decoded last, since a schema
  // that takes it as it is means it so.
  for (const candidate of new Set([mendInput(input, tool, 'nulls'), input, mendInput(input, tool, 'all')])) {
    const checked = await tool.check(candidate)
    if (checked.ok) return { kind: 'ready', call, tool, input: deepFreeze(candidate), value: checked.value }
    if (candidate === input) problems = checked.problems
  }
  return refuse(call, misfit(tool, problems))
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

function misfit(tool: Tool, problems: readonly string[]): string {
  const list = problems.slice(0, 10).map((problem) => `- ${problem}`)
  return `${tool.name}: the arguments do not fit its schema:\n${list.join('\n')}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

interface Mending {
  readonly root: JsonObject
  readonly decodes: boolean
}

/** The input with misplaced nulls left out and, for `all`, misplaced text decoded; the same object where nothing is. */
function mendInput(input: JsonObject, tool: Tool, what: 'nulls' | 'all'): JsonObject {
  try {
    const mended = mend(input, tool.inputSchema, { root: tool.inputSchema, decodes: what === 'all' })
    return isJsonObject(mended) ? mended : input
  } catch {
    // A schema or an input too strange to follow is left to the tool's own check.
    return input
  }
}

function mend(value: JsonValue, schema: JsonValue | undefined, mending: Mending): JsonValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  const rules = alternatives(schema, mending.root)
  if (typeof value === 'string') return mending.decodes && wantContainer(rules) ? decode(value, schema, mending) : value
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = rules.filter((rule) => typesOf(rule).length === 0 || typesOf(rule).includes(type))
  const [rule] = fitting
  if (rule === undefined || fitting.length > 1) return value
  return isJsonObject(value) ? mendObject(value, rule, mending) : mendList(value, rule, mending)
}

function mendList(value: readonly JsonValue[], rule: JsonObject, mending: Mending): JsonValue {
  const tuple = [rule.prefixItems, rule.items].find(Array.isArray) ?? []
  const rest = isJsonObject(rule.items) ? rule.items : undefined
  const items = value.map((item, index) => mend(item, tuple[index] ?? rest, mending))
  return items.some((item, index) => item !== value[index]) ? items : value
}

function mendObject(value: JsonObject, rule: JsonObject, mending: Mending): JsonObject {
  const properties = isJsonObject(rule.properties) ? rule.properties : {}
  const required = Array.isArray(rule.required) ? rule.required : []
  const rest = isJsonObject(rule.additionalProperties) ? rule.additionalProperties : undefined
  let isChanged = false
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const isDeclared = Object.hasOwn(properties, key)
    const field = isDeclared ? properties[key] : rest
    const isOptional = isDeclared && !required.includes(key)
    if (inner === null && isOptional && !alternatives(field, mending.root).some(mayBeNull)) {
      isChanged = true
      return []
    }
    const mended = inner === undefined ? inner : mend(inner, field, mending)
    isChanged ||= mended !== inner
    return [[key, mended] as const]
  })
  return isChanged ? Object.fromEntries(entries) : value
}

function decode(text: string, schema: JsonValue | undefined, mending: Mending): JsonValue {
  try {
    const decoded: unknown = JSON.parse(text)
    if (Array.isArray(decoded) || isJsonObject(decoded)) return mend(decoded, schema, mending)
  } catch {
    // Not JSON after all: the schema's own message about the text is the better one.
  }
  return text
}

function wantContainer(rules: readonly JsonObject[]): boolean {
  return rules.every((rule) => {
    const types = typesOf(rule)
    return types.length > 0 && types.every((type) => type === 'array' || type === 'object' || type === 'null')
  })
}

function mayBeNull(rule: JsonObject): boolean {
  if (Array.isArray(rule.enum)) return rule.enum.includes(null)
  if ('const' in rule) return rule.const === null
  const types = typesOf(rule)
  return types.length === 0 || types.includes('null') || rule.nullable === true
}

function typesOf(rule: JsonObject): readonly JsonValue[] {
  if (Array.isArray(rule.type)) return rule.type
  return typeof rule.type === 'string' ? [rule.type] : []
}

const ANYTHING: JsonObject = {}

/** The rules of which a value has to keep one: the branches of a union, else the schema itself. Never none. */
function alternatives(schema: JsonValue | undefined, root: JsonObject): readonly JsonObject[] {
  const seen = new Set<JsonObject>()
  const flatten = (branch: JsonValue | undefined): JsonObject[] => {
    const rule = follow(branch, root) ?? ANYTHING
    const branches = [rule.anyOf, rule.oneOf].find(Array.isArray)
    if (branches === undefined) return [rule]
    // A union that holds itself adds nothing by that.
    if (seen.has(rule)) return []
    seen.add(rule)
    return branches.flatMap(flatten)
  }
  const rules = flatten(schema)
  return rules.length > 0 ? rules : [ANYTHING]
}

/** A schema with its local reference followed, a few steps at most. */
function follow(schema: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  let current = schema
  for (let step = 0; step < 8; step += 1) {
    if (!isJsonObject(current)) return undefined
    if (typeof current.$ref !== 'string') return current
    const isLocal = current.$ref === '#' || current.$ref.startsWith('#/')
    current = isLocal ? lookUp(root, current.$ref) : undefined
  }
  return undefined
}

/** What a JSON pointer in a URI fragment points at; `#` alone is the root. Source: RFC 6901, section 6. */
function lookUp(root: JsonObject, reference: string): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const raw of reference.split('/').slice(1)) {
    const step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}
