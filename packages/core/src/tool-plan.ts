import type { ToolStarted } from './entries.ts'
import { describeThrown } from './errors.ts'
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue, kindOf } from './json.ts'
import { readings } from './mend-value.ts'
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
  /** The model's own arguments, where a repair changed them. */
  readonly modelInput?: JsonValue
}

/** A call that cannot run, and what the model is told about it. */
export interface RefusedCall {
  readonly kind: 'refused'
  readonly call: ToolCallPart
  readonly problem: string
  /** No tool has its name. */
  readonly isUnknown?: true
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
    // What a person has yet to fill in cannot be checked yet.
    if (parsed.ok && tool.askUser !== undefined) {
      const input = deepFreeze(withoutFields(parsed.value, tool.askUser))
      return { kind: 'ready', call, tool, input, value: undefined }
    }
    if (parsed.ok) return checkInput(call, tool, parsed.value)
    return refuse(call, `${tool.name}: ${parsed.problem}${hint.probablyCut ? PROBABLY_CUT : ''}`)
  })
}

/** What a person fills in is theirs, also where the model has guessed that there is such a field. */
function withoutFields(input: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name)))
}

const PROBABLY_CUT = ' The output limit probably cut them off: send a shorter call.'

/** Check what was recorded of a call again, when it runs once more after a crash. Never throws. */
export function recheckCall(
  call: ToolCallPart,
  tools: readonly Tool[],
  started: Pick<ToolStarted, 'toolName' | 'input' | 'modelInput'>,
): Promise<PlannedCall> {
  const { toolName, input, modelInput } = started
  return planWith({ ...call, toolName }, tools, async (tool) => {
    const planned = await checkInput(call, tool, isJsonObject(input) ? input : {})
    return planned.kind === 'ready' && modelInput !== undefined ? { ...planned, modelInput } : planned
  })
}

/** Plan for the tool that is meant. Tools are foreign code: one whose check throws is no reason to hurt other calls. */
async function planWith(
  call: ToolCallPart,
  tools: readonly Tool[],
  plan: (tool: Tool) => PlannedCall | Promise<PlannedCall>,
): Promise<PlannedCall> {
  try {
    const tool = resolveTool(call.toolName, tools)
    if (tool !== undefined) return await plan(tool)
    return { ...refuse(call, unknownTool(call.toolName, tools)), isUnknown: true }
  } catch (error) {
    return refuse(call, `${call.toolName}: the arguments could not be checked (${describeThrown(error)}).`)
  }
}

function refuse(call: ToolCallPart, problem: string): RefusedCall {
  return { kind: 'refused', call, problem }
}

async function checkInput(call: ToolCallPart, tool: Tool, input: JsonObject): Promise<PlannedCall> {
  let problems: readonly string[] = []
  for (const candidate of readings(input, tool.inputSchema)) {
    const checked = await tool.check(candidate)
    if (checked.ok) return { kind: 'ready', call, tool, input: deepFreeze(candidate), value: checked.value }
    if (candidate === input) problems = checked.problems
  }
  return refuse(call, misfit(tool, problems))
}

/** The tool of that name, else the only one whose name differs from it in case alone. */
export function resolveTool(name: string, tools: readonly Tool[]): Tool | undefined {
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

/** The arguments as the model wrote them; `undefined` where they are no JSON object. */
export function readInput(text: string): JsonObject | undefined {
  const parsed = parseInput(text)
  return parsed.ok ? parsed.value : undefined
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
