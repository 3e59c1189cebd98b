import {
  type AgentOptions,
  type AssistantMessage,
  createAgent,
  type Model,
  type Session,
  structured,
  type ToolContext,
  type TurnEvent,
  type TurnResult,
  tool,
} from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { z } from 'zod'

// Nothing here runs: that it compiles, and that the marked lines do not, is the test.

declare const model: Model

/** Compiles only where both types are the same. */
function same<A, B extends A>(_value: B & (A extends B ? unknown : never)): void {}

// --- tool() infers what `execute` gets ---------------------------------------------------------------------------------

tool({
  name: 'a',
  description: 'a',
  input: z.object({ city: z.string(), days: z.number().optional(), at: z.string().transform(Number) }),
  execute: ({ city, days, at }, context) => {
    same<string, typeof city>(city)
    same<number | undefined, typeof days>(days)
    same<number, typeof at>(at)
    same<ToolContext, typeof context>(context)
    same<AbortSignal, typeof context.signal>(context.signal)
    // @ts-expect-error: text has no such method
    city.toFixed()
    // @ts-expect-error: it may be missing
    days.toFixed()
    return city
  },
})

tool({
  name: 'b',
  description: 'b',
  input: z.object({ city: z.string() }),
  // @ts-expect-error: the schema has no country
  execute: ({ country }) => country,
})

tool({
  name: 'c',
  description: 'c',
  input: jsonSchema<{ query: string }>({ type: 'object' }),
  execute: ({ query }) => query.length,
})

tool({
  name: 'd',
  description: 'd',
  execute: (input) => {
    // @ts-expect-error: without a schema nothing is known of it
    input.city
  },
})

tool({
  name: 'e',
  description: 'e',
  // @ts-expect-error: a bare JSON Schema checks nothing
  input: { type: 'object' },
  execute: () => 1,
})

// @ts-expect-error: a tool has to say what it is for
tool({ name: 'f', execute: () => 1 })

tool({
  name: 'g',
  description: 'g',
  execute: () => 1,
  // @ts-expect-error: one of three words
  effect: 'write',
})

tool({
  name: 'h',
  description: 'h',
  execute: () => 1,
  // @ts-expect-error: units are in names
  timeout: 5,
})

tool({
  name: 'i',
  description: 'i',
  input: z.object({}),
  execute: async function* () {
    yield 'chunks may stream'
  },
})

// --- createAgent() -----------------------------------------------------------------------------------------------------

const agent = createAgent({
  model,
  tools: [tool({ name: 'a', description: 'a', execute: () => 1 }), { list: async () => [] }],
  instructions: async ({ messages, turnId }) => `${turnId} ${messages.length}`,
})

// @ts-expect-error: a model is needed
createAgent({})

// @ts-expect-error: there is no such option
createAgent({ model, maxSteps: 5 })

// @ts-expect-error: a model, not its name
createAgent({ model: 'gpt' })

// @ts-expect-error: a tool is made by tool()
createAgent({ model, tools: [{ name: 'a', execute: () => 1 }] })

// @ts-expect-error: there is no such option to change
agent.with({ maxSteps: 5 })

// @ts-expect-error: an agent does not change
agent.name = 'other'

// @ts-expect-error: left out, not undefined
const options: AgentOptions = { model, maxIterations: undefined }

// --- turns ---------------------------------------------------------------------------------------------------------------

// @ts-expect-error: there is no such option
agent.turn('Hello', { maxSteps: 5 })

// @ts-expect-error: one of three words
agent.turn('Hello', { reject: 'always' })

// @ts-expect-error: a message is more than its text
agent.turn({ role: 'user', content: 'Hello' })

async function read(): Promise<void> {
  for await (const message of agent.turn('Hello')) same<AssistantMessage, typeof message>(message)
  for await (const event of agent.turn('Hello').events()) narrow(event)
  const result = await agent.turn('Hello').untilDone()
  same<TurnResult<undefined>, typeof result>(result)
  // @ts-expect-error: a result does not change
  result.text = 'other'
  // @ts-expect-error: only some outcomes have an error
  result.outcome.error
  if (result.outcome.kind === 'failed') same<string, typeof result.outcome.error.message>(result.outcome.error.message)
  if (result.outcome.kind === 'cancelled') same<number, number>(result.outcome.rollback.messagesAfter)
}

// --- events are told apart by `type` ---------------------------------------------------------------------------------------

function narrow(event: TurnEvent): string {
  // @ts-expect-error: only deltas have one
  event.delta
  switch (event.type) {
    case 'text-delta':
      same<number, typeof event.after>(event.after)
      return event.delta
    case 'tool-started':
      same<number, typeof event.sequence>(event.sequence)
      // @ts-expect-error: a call that starts has no result yet
      event.result
      return event.toolName
    case 'tool-settled':
      return event.result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join()
    case 'message':
      if (event.message.role === 'assistant') return event.message.stopReason
      // @ts-expect-error: a tool message has no content
      event.message.content
      return event.message.role === 'tool' ? String(event.message.calls.length) : ''
    case 'turn-ended':
      return event.outcome.kind
    case 'tool-progress':
      return event.callId
    case 'warning':
      return event.message
    default:
      return event.type
  }
}

/** A session keeps to what its agent answers with. */
export function change(session: Session<{ sum: number }>): void {
  const sums = createAgent({ model, output: structured(z.object({ sum: z.number() })) })
  session.setAgent(sums.with({ maxIterations: 3 }))
  // @ts-expect-error: another answer
  session.setAgent(sums.with({ output: structured(z.object({ name: z.string() })) }))
}

export const used: unknown[] = [options, read, narrow]
