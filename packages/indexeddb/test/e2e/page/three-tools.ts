import { type Agent, createAgent, type ModelRequest, type Tool, type ToolEffect, tool } from '@turnloop/core'
import { type ScriptedModel, type ScriptStep, scriptedModel } from '@turnloop/testing'
import type { Opening } from './page-port.ts'

/** How far apart the pieces of a reply arrive, so that a page can be killed between two of them. */
const PIECE_MS = 4

/** An agent that looks (read), books (idempotent) and pays (unsafe) in one turn, and then tells what came of each. */
export function threeTools({ toolExecution = 'parallel' }: Opening): { agent: Agent; model: ScriptedModel } {
  const model = scriptedModel(answer, { beforeEvent: () => new Promise((go) => setTimeout(go, PIECE_MS)) })
  const tools = [deed('look', 'read'), deed('book', 'idempotent'), deed('pay', 'unsafe'), broken]
  return { model, agent: createAgent({ model, tools, toolExecution }) }
}

/** The same for the same request, so a reply that is asked for again is the same reply. */
function answer({ messages }: ModelRequest): ScriptStep {
  const last = messages.at(-1)
  if (last?.role === 'tool')
    return `It came out so: ${last.results.map(({ toolName, status }) => `${toolName} ${status}`).join(', ')}.`
  const asks = JSON.stringify(last?.content).includes('Break') ? ['broken', 'pay'] : ['look', 'book', 'pay']
  return { text: 'Three things are to be done.', calls: asks.map((name) => ({ name })) }
}

/** A tool whose effect is outside the page, where it outlives it and is counted. */
function deed(name: string, effect: ToolEffect): Tool {
  return tool({
    name,
    description: `Does ${name}`,
    effect,
    execute: async (_input, { sessionId = '', idempotencyKey: key, signal }) => {
      const what = new URLSearchParams({ session: sessionId, tool: name, key })
      const response = await fetch(`/effect?${what}`, { method: 'POST', signal })
      return response.text()
    },
  })
}

const broken: Tool = tool({
  name: 'broken',
  description: 'Fails',
  effect: 'read',
  execute: () => {
    throw new Error('disk full')
  },
})
