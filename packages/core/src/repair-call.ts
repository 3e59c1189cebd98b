import { ABANDONED, settleWithin } from './abort.ts'
import type { Clock } from './clock.ts'
import { canonicalJson, type JsonObject, type JsonValue } from './json.ts'
import type { ToolCallPart } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import type { Tool } from './tool.ts'
import { type PlannedCall, planCall, type RefusedCall } from './tool-plan.ts'

/** A call that was refused, and why: what a repair has to go by. */
export interface BrokenCall {
  readonly call: ToolCallPart
  readonly tools: readonly Tool[]
  /** What the model would be told. */
  readonly problem: string
  /** Aborts on Stop; nobody waits for the repair from then on. */
  readonly signal: AbortSignal
}

/** What a repair puts in place of what the model wrote. What is left out stays. Arguments as text are parsed strictly. */
export interface RepairedCall {
  readonly toolName?: string
  readonly input?: JsonObject | string
}

/**
 * Mend a call whose tool does not exist or whose arguments do not fit, for example by asking a small model.
 *
 * Asked once per refused call; its batch waits for the answer. The repaired call is planned by the same rules as any
 * other. With nothing to offer, return `undefined`: then, and where it throws or its call is no better, the model gets
 * the refusal.
 */
export type RepairToolCall = (broken: BrokenCall) => RepairedCall | undefined | Promise<RepairedCall | undefined>

/** Give a refused call its one repair: a call that can run, else the same refusal. Never rejects. */
export async function repairCall(
  refused: RefusedCall,
  repair: RepairToolCall,
  options: { tools: readonly Tool[]; signal: AbortSignal; clock: Clock },
): Promise<PlannedCall> {
  const { call, problem } = refused
  const { tools, signal, clock } = options
  if (signal.aborted) return refused
  const planning = (async (): Promise<PlannedCall> => {
    const repaired = await repair({ call, tools, problem, signal })
    if (!repaired) return refused
    // Whatever it gave, the plan takes only the name of a tool and one JSON object: no need to look at it twice.
    const { toolName = call.toolName, input = call.inputText } = repaired
    const inputText = typeof input === 'string' ? input : JSON.stringify(toPlainJson(input, 'input'))
    const planned = await planCall({ ...call, toolName, inputText }, tools)
    if (planned.kind === 'refused') return refused
    const modelInput = readInput(call.inputText)
    const isChanged = canonicalJson(modelInput) !== canonicalJson(planned.input)
    return { ...planned, call, ...(isChanged && { modelInput }) }
  })()
  // A repair may fail in any way that its author did not think of: the model is told of its own mistake then.
  const mended = planning.catch(() => refused)
  const planned = await settleWithin(mended, { signal, graceMs: 0, clock })
  return planned === ABANDONED ? refused : planned
}

/** The model's own arguments, or its text where that is no JSON. */
function readInput(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
