import { MemoryStore, openSession } from '@turnloop/core'
import { PROMPT } from '../lib/script.mjs'
import { ownModel, turnloopAgent, turnloopHistory } from '../lib/turnloop-parts.mjs'

/** A stored conversation: one earlier turn that holds all of the messages. */
async function storeWith(sessionId, messages) {
  const store = new MemoryStore()
  if (messages.length === 0) return store
  const drafts = [
    { type: 'turn-started', agentName: 'agent', modelId: 'mock', history: true },
    ...messages.map((message) => ({ type: 'message', message })),
    { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 0 },
  ]
  await store.append(
    sessionId,
    drafts.map((draft, index) => ({ sequence: index + 1, at: 1, turnId: 't0', ...draft })),
  )
  return store
}

/** Turnloop with a session in the memory store; opening it is not timed. */
export default {
  name: 'turnloop-session',
  async prepare({ steps, history, toolMs, probe }) {
    const store = await storeWith('s', turnloopHistory(history))
    const agent = turnloopAgent(ownModel(steps, probe), { toolMs, probe })
    const session = openSession({ id: 's', agent, store })
    await session.flush()
    return async () => {
      const events = session.events()
      const sent = session.send(PROMPT)
      for await (const event of events) {
        probe.event(event.type === 'text-delta' ? event.delta : undefined)
        if (event.type === 'turn-ended') break
      }
      await sent
      await session.flush()
      return session
    }
  },
}
