import {
  type Agent,
  type AgentOptions,
  createAgent,
  createMemoryLog,
  type defineGuardrail as DefineGuardrail,
  defineGuardrail,
  defineHooks,
  type Entry,
  type Guardrail,
  type HookEvent,
  type HooksOptions,
  type ModelRequest,
  messageText,
  ToolRunner,
  type TurnEvent,
  type TurnInput,
  type TurnOptions,
  type TurnResult,
} from '@turnloop/core'
import { type ManualClock, manualClock, type Script, type ScriptedModel, scriptedModel } from '@turnloop/testing'

/** An agent with one set of hooks, and what it is made of. */
export interface Hooked {
  readonly agent: Agent
  readonly model: ScriptedModel
  readonly clock: ManualClock
}

/** What a hooked agent takes beside its script and hooks. */
export type HookedOptions = Partial<Omit<AgentOptions, 'model' | 'hooks'>>

/** An agent with one set of hooks. */
export function hooked(script: Script, hooks: HooksOptions, options: HookedOptions = {}): Hooked {
  const clock = manualClock()
  const model = scriptedModel(script)
  return { clock, model, agent: createAgent({ model, clock, hooks: defineHooks(hooks), ...options }) }
}

/** A turn that was run to its end, and all that could be seen of it. */
export interface Ran extends Hooked {
  readonly result: TurnResult<unknown>
  readonly events: readonly TurnEvent[]
  readonly entries: readonly Entry[]
}

/** What a turn takes beside its agent. */
export type RunOptions = HookedOptions & {
  input?: TurnInput
  turn?: TurnOptions
  during?(turn: ToolRunner, made: Hooked): unknown
}

/** Run one turn to its end. `during` is told of it once it runs. */
export async function runHooked(script: Script, hooks: HooksOptions, options: RunOptions = {}): Promise<Ran> {
  const { input, turn, during, ...rest } = options
  const made = hooked(script, hooks, rest)
  return {
    ...made,
    ...(await runTurn(made.agent, {
      ...turn,
      ...(input && { input }),
      ...(during && { during: (running: ToolRunner) => during(running, made) }),
    })),
  }
}

/** Run one turn of an agent to its end. */
export async function runTurn(
  agent: Agent,
  options: TurnOptions & { input?: TurnInput; during?(turn: ToolRunner): unknown } = {},
): Promise<Pick<Ran, 'result' | 'events' | 'entries'>> {
  const { input = 'Hi', during, ...rest } = options
  const events: TurnEvent[] = []
  const log = createMemoryLog(agent.clock)
  const { signal: _signal, turnId: _turnId, history: _history, reject: _reject, ...facts } = rest
  const turn = new ToolRunner(agent.parts(log, facts), input, { ...rest, onEvent: (event) => void events.push(event) })
  const done = turn.untilDone()
  await during?.(turn)
  return { result: await done, events, entries: log.entries }
}

/** The text of the last user message of a request. */
export function askedText(request: ModelRequest | undefined): string | undefined {
  const last = request?.messages.findLast(({ role }) => role === 'user')
  return last?.role === 'user' ? messageText(last) : undefined
}

/** The hook events of a turn, as `hook-started preHooks[0]`. */
export function hookSteps(events: readonly TurnEvent[]): string[] {
  return hookEvents(events).map(({ type, hook }) => `${type.replace('hook-', '')} ${hook}`)
}

/** The hook events of a turn. */
export function hookEvents(events: readonly TurnEvent[]): HookEvent[] {
  return events.filter((event) => event.type.startsWith('hook-')) as (TurnEvent & HookEvent)[]
}

/** Which hooks were not closed exactly once, in the order of their starts. */
export function unclosed(events: readonly TurnEvent[]): string[] {
  const told = hookEvents(events)
  return told
    .filter(({ type }) => type === 'hook-started')
    .filter(({ id }) => told.filter((other) => other.id === id).length !== 2)
    .map(({ hook }) => hook)
}

/** The text that people saw grow, reasoning aside. */
export function streamed(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
}

/** A check that stars out a secret. */
export function masker(secret: string, options: Partial<Parameters<typeof DefineGuardrail>[0]> = {}): Guardrail {
  const stars = '*'.repeat(secret.length)
  return defineGuardrail({
    name: 'masker',
    holdLength: () => secret.length,
    check: ({ texts }) =>
      texts.some((text) => text.includes(secret))
        ? { replace: texts.map((text) => text.replaceAll(secret, stars)) }
        : undefined,
    ...options,
  })
}

/** A check that blocks texts with a word. */
export function denier(word: string, options: Partial<Parameters<typeof DefineGuardrail>[0]> = {}): Guardrail {
  return defineGuardrail({
    name: 'denier',
    check: ({ text }) => (text.includes(word) ? { block: 'That word is denied.', trigger: 'off_topic' } : undefined),
    ...options,
  })
}

/** Never settles, whatever happens. */
export function never(): Promise<never> {
  return new Promise(() => {})
}

/** Where a value stands in what a turn left, as JSON. */
export function leaks(secret: string, ran: Pick<Ran, 'result' | 'events' | 'entries'>): string[] {
  const { messages, ...result } = ran.result
  const found: string[] = [...ran.events, ...ran.entries]
    .filter((event) => holds(event, secret))
    .map(({ type }) => type)
  if (holds(result, secret)) found.push('result')
  if (holds(messages, secret)) found.push('messages')
  return found
}

/** Ids and times are made by chance, and may hold the same digits. */
function holds(value: unknown, secret: string): boolean {
  const text = JSON.stringify(value).replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|"\w*[aA]t":\d+/g, '')
  return text.includes(secret)
}
