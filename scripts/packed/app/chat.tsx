import { createAgent, defineHooks, messageText } from '@turnloop/core'
import { length } from '@turnloop/guardrails'
import { indexedDbStore } from '@turnloop/indexeddb'
import { useAgentTurn } from '@turnloop/react'
import { scriptedModel } from '@turnloop/testing'
import { workerTools } from '@turnloop/worker'

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return { calls: [{ name: 'add', input: { a: 2, b: 3 } }] }
  return `The worker says ${JSON.stringify(last.results[0]?.result.content)}`
})

const agent = createAgent({
  model,
  tools: [workerTools(() => new Worker(new URL('./adding.ts', import.meta.url), { type: 'module' }))],
  hooks: defineHooks({ preHooks: [length({ max: 100 })] }),
})
const store = indexedDbStore()

export function Chat({ sessionId }: { sessionId: string }) {
  const { messages, status, send } = useAgentTurn(agent, { sessionId, store })
  return (
    <main data-status={status}>
      {messages.map((message) => message.role !== 'tool' && <p key={message.id}>{messageText(message)}</p>)}
      <button type="button" onClick={() => send('What is 2 + 3?')}>
        Ask
      </button>
    </main>
  )
}
