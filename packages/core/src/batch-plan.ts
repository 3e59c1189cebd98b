import { type AnsweredCall, answerOf, askPeople, asksPeople, type WaitingCall } from './approvals.ts'
import type { ToolStarted } from './entries.ts'
import { type AssistantMessage, clientCalls, type ToolCallPart } from './messages.ts'
import { repairCall } from './repair-call.ts'
import { AFTER_UNKNOWN_TEXT, ENDED_TEXT, LOST_TEXT, REPEATED_TEXT } from './result-text.ts'
import { mayRunAgain, type Tool } from './tool.ts'
import type { ToolBatchOptions, ToolBatchSettings } from './tool-batch-options.ts'
import { type PlannedCall, planCall, type ReadyCall, readInput, recheckCall, resolveTool } from './tool-plan.ts'
import type { CallLayer, CallScope } from './turn-hooks.ts'

/** A call that is not run, and what the model is told about it. */
export interface SkippedCall {
  readonly kind: 'skipped'
  readonly call: ToolCallPart
  readonly text: string
}

/** A call of a batch, planned: it runs, waits for people, or is answered without. */
export type BatchCall = PlannedCall | SkippedCall | AnsweredCall | WaitingCall

/** What planning the calls of a batch takes. */
export interface BatchPlanning {
  readonly options: ToolBatchOptions
  readonly settings: ToolBatchSettings
  layersOf(tool: Tool): readonly CallLayer[]
  scopeOf(call: ToolCallPart): CallScope
}

interface Hint {
  readonly probablyCut: boolean
}

/** What is to become of each call that is not settled yet, in call order. */
export async function planBatch(reply: AssistantMessage, planning: BatchPlanning): Promise<BatchCall[]> {
  const { known, tools, maxOutputTokens } = planning.options
  const calls = clientCalls(reply)
  const tokens = reply.usage?.outputTokens
  const hint = { probablyCut: tokens !== undefined && tokens === maxOutputTokens }
  const isOpen = ({ callId }: ToolCallPart): boolean => !known.settled.has(callId)
  if (planning.settings.unknownTool !== 'short-circuit')
    return Promise.all(calls.filter(isOpen).map((call) => planOne(call, hint, planning)))
  const planned: BatchCall[] = []
  let isCut = false
  for (const call of calls) {
    if (isOpen(call)) {
      const next: BatchCall = isCut ? skip(call, AFTER_UNKNOWN_TEXT) : await planOne(call, hint, planning)
      planned.push(next)
      isCut ||= next.kind === 'refused' && next.isUnknown === true
    } else {
      // Answered before a crash, and what came after it was not.
      const wasRefused = known.settled.get(call.callId)?.status === 'error' && !known.started.has(call.callId)
      isCut ||= wasRefused && resolveTool(call.toolName, tools) === undefined
    }
  }
  return planned
}

async function planOne(call: ToolCallPart, hint: Hint, planning: BatchPlanning): Promise<BatchCall> {
  const { known, toolsOff, repeats } = planning.options
  if (toolsOff !== undefined) return skip(call, toolsOff)
  // A hook had ended the turn before it was cut.
  if ([...known.settled.values()].some(({ ends }) => ends !== undefined)) return skip(call, ENDED_TEXT)
  const started = known.started.get(call.callId)
  if (started !== undefined) {
    const planned = await planStarted(call, started, planning)
    // What hooks made of its arguments they make once more, of the model's own.
    if (planned !== undefined) return planned
  }
  const decided = known.decided.get(call.callId)
  // Without a look at what it was about: it never runs.
  const refusal = decided?.allow === false ? answerOf(call, decided) : undefined
  if (refusal !== undefined) return refusal
  if (repeats?.check(call) === 'refuse') return skip(call, REPEATED_TEXT)
  const planned = await planAnew(call, hint, planning)
  if (planned.kind === 'refused') return answerOf(call, decided) ?? planned
  const asked = await throughLayers(planned, planning)
  if (asked.kind !== 'ready') return asked.kind === 'refused' ? (answerOf(call, decided) ?? asked) : asked
  const isAsked = decided !== undefined || asksPeople(asked.tool)
  return isAsked ? checkAnswer(await askPeople(asked, planning.options, planning.settings.clock), planning) : asked
}

/** A call that had started before a crash; `undefined`: it is planned as if it had not. */
async function planStarted(
  call: ToolCallPart,
  started: ToolStarted,
  planning: BatchPlanning,
): Promise<BatchCall | undefined> {
  const planned = await recheckCall(call, planning.options.tools, started)
  if (planned.kind !== 'ready') return skip(call, LOST_TEXT)
  if (mayRunAgain(planned.tool)) return planning.layersOf(planned.tool).length === 0 ? planned : undefined
  const asked = planning.settings.inDoubt?.(planned, started, planning.options)
  return asked === undefined ? skip(call, LOST_TEXT) : checkAnswer(asked, planning)
}

/** A call as it was decided about: what a person has answered is checked as a tool's own result is. Never rejects. */
export async function checkAnswer(decided: BatchCall, planning: BatchPlanning): Promise<BatchCall> {
  const ready = decided.kind === 'answered' ? decided.ready : undefined
  const layers = ready === undefined ? [] : planning.layersOf(ready.tool)
  const [first] = layers
  if (ready === undefined || decided.kind !== 'answered' || first === undefined) return decided
  const { signal } = planning.options
  return first.engine.check(decided, ready, { layers, scope: planning.scopeOf(decided.call), signal })
}

/** Plan what the model wrote, or what a hook put in its place; where that cannot run, try to mend it once. */
async function planAnew(call: ToolCallPart, hint: Hint, { options, settings }: BatchPlanning): Promise<PlannedCall> {
  const { tools, signal, inputs } = options
  const { repairToolCall, clock } = settings
  const input = inputs?.get(call.callId)
  if (input !== undefined) {
    const modelInput = readInput(call.inputText) ?? call.inputText
    return recheckCall(call, tools, { toolName: call.toolName, input, modelInput })
  }
  const planned = await planCall(call, tools, hint)
  if (planned.kind === 'ready' || repairToolCall === undefined) return planned
  return repairCall(planned, repairToolCall, { tools, signal, clock })
}

async function throughLayers(ready: ReadyCall, planning: BatchPlanning): Promise<PlannedCall | AnsweredCall> {
  const { call, tool } = ready
  const layers = planning.layersOf(tool)
  const [first] = layers
  if (first === undefined) return ready
  try {
    const asked = await first.engine.ask(ready, {
      layers,
      scope: planning.scopeOf(call),
      replan: (input) => recheckCall(call, planning.options.tools, { toolName: tool.name, input }),
    })
    return 'kind' in asked ? asked : { kind: 'answered', call, ...asked }
  } catch (error) {
    // Only by Stop: the batch answers what is left.
    if (planning.options.signal.aborted) return ready
    throw error
  }
}

function skip(call: ToolCallPart, text: string): SkippedCall {
  return { kind: 'skipped', call, text }
}

/** The layers around a tool's calls, the agent's outermost. Without a turn there are none. */
export function layersOf({ turn, layer }: ToolBatchOptions): (tool: Tool) => readonly CallLayer[] {
  // What `toolHooks` made.
  return ({ hooks }) => (turn === undefined ? [] : [layer, hooks?.layer as CallLayer | undefined].filter(isLayer))
}

function isLayer(layer: CallLayer | undefined): layer is CallLayer {
  return layer !== undefined && Object.keys(layer).length > 1
}
