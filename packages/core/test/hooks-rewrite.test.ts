import type { Message } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { runHooked } from './hooks-setup.ts'
import { echo, outline, say } from './loop-setup.ts'

const once = [{ calls: [say('a')] }, 'Done.']
const fail = (): never => {
  throw new Error('broken')
}

describe('rewriteTranscript', () => {
  test('is an overlay, which the model reads and the log keeps apart', async () => {
    const { model, entries, result } = await runHooked(
      once,
      {
        beforeModelCall: ({ iteration, rewriteTranscript }) => {
          if (iteration === 1)
            rewriteTranscript((messages) =>
              messages.map((message) => (message.role === 'user' ? told(message) : message)),
            )
        },
      },
      { tools: [echo] },
    )

    const rewritten = entries.find(({ type }) => type === 'overlay')
    expect(rewritten).toMatchObject({ by: 'rewrite', critical: true })
    expect(JSON.stringify(entries)).toContain('"Hi"')
    expect(outline(result.messages)[0]).toBe('user: told')
    expect(model.violations).toEqual([])
  })

  test('is healed at once', async () => {
    const { model, result } = await runHooked(
      once,
      {
        afterToolCall: ({ rewriteTranscript }) =>
          rewriteTranscript((messages) => messages.filter(({ role }) => role !== 'assistant')),
      },
      { tools: [echo] },
    )

    expect(model.violations).toEqual([])
    expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: Hi'])
    expect(result.outcome).toEqual({ kind: 'completed' })
  })

  test('that changes nothing writes nothing', async () => {
    const { entries } = await runHooked(['A.'], {
      beforeModelCall: ({ rewriteTranscript }) => rewriteTranscript((messages) => messages),
    })

    expect(entries.some(({ type }) => type === 'overlay')).toBe(false)
  })

  test('that throws later is a fault of its hook, not of the turn', async () => {
    const { result } = await runHooked(
      once,
      {
        toolHooks: [
          (_call, next, { rewriteTranscript }) => {
            rewriteTranscript(fail)
            return next()
          },
        ],
      },
      { tools: [echo] },
    )

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toHaveLength(1)
  })

  function told(message: Message): Message {
    return message.role === 'user' ? { ...message, id: 'told', content: [{ type: 'text', text: 'told' }] } : message
  }
})
