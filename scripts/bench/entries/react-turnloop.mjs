import { createAgent, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { useAgentTurn } from '@turnloop/react'
import { add, parameters } from './script.mjs'
import { model } from './turnloop.mjs'

const tools = [tool({ name: 'add', description: 'adds', input: jsonSchema(parameters), execute: add })]
const agent = createAgent({ model, tools })

/** A session, which can be stored, cancelled, forked and rewound. */
export const useChat = () => useAgentTurn(agent, { sessionId: 'chat' })
