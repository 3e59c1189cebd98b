import { aiSdkModel } from '@turnloop/ai-sdk'
import { createAgent, importSession, MemoryStore, messageText } from '@turnloop/core'
import { browserModel } from './browser-model.mjs'

export const textOf = (message) => (message.role === 'tool' ? '' : messageText(message))

/** A stored conversation, and an agent over the model that `bare` and `ToolLoopAgent` get. */
export async function turnloopChat({ history, source }) {
  const entries = history.map(({ id, role, text }, index) => ({
    sequence: index + 1,
    at: 0,
    type: 'message',
    message: {
      id,
      role,
      createdAt: 0,
      content: [{ type: 'text', text }],
      ...(role === 'assistant' && { stopReason: 'endTurn' }),
    },
  }))
  const store = new MemoryStore()
  const file = { format: 'turnloop-session', version: 1, id: 'bench', exportedAt: 0, entries }
  const sessionId = await importSession(file, { store })
  return { agent: createAgent({ model: aiSdkModel(browserModel(source)) }), store, sessionId }
}
