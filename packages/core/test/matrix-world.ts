import {
  type AgentOptions,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolHookSet,
  type ToolSource,
  tool,
} from '@turnloop/core'

/** One reply, event by event. */
export type Reply = readonly ModelEvent[]

/** A model that plays one script after another, with nothing of its own between two events. */
export interface Playback extends Model {
  /** What it was asked, in all scripts. */
  readonly requests: readonly ModelRequest[]
  /** Play this from the next request on: replies in order, beyond which the stream hangs, or what a request calls for. */
  play(script: readonly Reply[] | ((request: ModelRequest) => Reply)): void
}

/** Make one. A reply without a finish is a cut stream. */
export function playback(onRequest: () => void = () => {}): Playback {
  const requests: ModelRequest[] = []
  let answer: (request: ModelRequest) => Reply | undefined = () => undefined
  return {
    ...{ provider: 'test', modelId: 'test', requests },
    play: (script) => {
      const left = typeof script === 'function' ? undefined : [...script]
      answer = typeof script === 'function' ? script : () => left?.shift()
    },
    stream(request) {
      requests.push(request)
      onRequest()
      const reply = answer(request)
      let at = 0
      const next = async (): Promise<IteratorResult<ModelEvent>> => {
        if (reply === undefined) return new Promise(() => {})
        const value = reply[at]
        at += 1
        return value === undefined ? { done: true, value } : { done: false, value }
      }
      const leave = async (): Promise<IteratorResult<ModelEvent>> => ({ done: true, value: undefined })
      return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
    },
  }
}

/** Text, calls without arguments, and the finish. */
export function reply(said: string, calls: readonly string[], stopReason: StopReason): Reply {
  return [...say(said), ...calls.map(call), { type: 'finish', stopReason }]
}

/** The events of a text. */
export function say(said: string): Reply {
  return said === ''
    ? []
    : [
        { type: 'text-delta', id: '1', delta: said },
        { type: 'text-end', id: '1' },
      ]
}

/** The events of a thought that the provider has signed. */
export function think(thought: string): Reply {
  const providerMetadata = { test: { signature: 's' } }
  return [
    { type: 'reasoning-delta', id: '0', delta: thought },
    { type: 'reasoning-end', id: '0', providerMetadata },
  ]
}

/** A call without arguments. */
export function call(toolName: string, index: number): ModelEvent {
  return { type: 'tool-call', id: `${index}`, toolName, inputText: '{}' }
}

/** What a call of a tool did, whatever was recorded of it. */
export type Deed = 'started' | 'returned' | 'threw'

/** Tools of a matrix: by call id, what each call did, and how often it was begun. */
export interface Deeds {
  readonly did: Map<string, Deed>
  readonly runs: Map<string, number>
}

/** A tool whose every call is accounted for. */
export function deedTool(
  name: string,
  effect: ToolEffect,
  deeds: Deeds,
  work: (context: ToolContext) => unknown,
  { needsApproval = false, hooks }: { needsApproval?: boolean; hooks?: ToolHookSet } = {},
): Tool {
  return tool({
    ...{ name, description: name, effect, ...(needsApproval && { needsApproval: async () => true }) },
    ...(hooks && { hooks }),
    async execute(_input: unknown, context: ToolContext) {
      const { callId } = context
      deeds.runs.set(callId, (deeds.runs.get(callId) ?? 0) + 1)
      deeds.did.set(callId, 'started')
      try {
        const value = await work(context)
        deeds.did.set(callId, 'returned')
        return value
      } catch (error) {
        deeds.did.set(callId, 'threw')
        throw error
      }
    },
  })
}

/** Work that takes some steps and stops at once when it is told to. */
export async function obedient({ signal, progress }: ToolContext): Promise<string> {
  for (let step = 0; step < 6; step += 1) {
    signal.throwIfAborted()
    if (step % 3 === 0) progress(step)
    await null
  }
  signal.throwIfAborted()
  return 'done in the end'
}

/** Work that takes some steps and cannot be stopped. */
export async function steady(): Promise<string> {
  for (let step = 0; step < 4; step += 1) await null
  return 'done anyway'
}

/** Tools from elsewhere: their list comes late, and somebody listens whether it changes. */
export function sourceOf(tools: readonly Tool[]): ToolSource & { readonly listeners: number } {
  let listeners = 0
  return {
    get listeners() {
      return listeners
    },
    async list() {
      await null
      return tools
    },
    subscribe() {
      listeners += 1
      return () => {
        listeners -= 1
      }
    },
  }
}

/** Instructions that take a moment. */
export const slowInstructions: NonNullable<AgentOptions['instructions']> = async () => {
  await null
  return 'Be brief.'
}
