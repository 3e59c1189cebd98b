import type { Message } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { call, reply, results, text, user } from './history.ts'

/** A sound history: turns of a user text, rounds of parallel calls with their results, and a closing reply. */
const sound = fc
  .array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((turns) => {
    const messages: Message[] = []
    const next = (kind: string): string => `${kind}${messages.length}`
    for (const rounds of turns) {
      messages.push(user(next('u')))
      for (const calls of rounds) {
        const ids = Array.from({ length: calls }, (_, at) => `${next('c')}-${at}`)
        messages.push(reply(next('a'), [text('Let me see.'), ...ids.map((id) => call(id))]))
        messages.push(results(next('t'), ids))
      }
      messages.push(reply(next('a'), [text('Done.')]))
    }
    return messages
  })

const spots = fc.nat()

/** Ways to spoil a sound history at a message; `undefined` where that message offers no way. */
const spoilers: Record<string, (messages: Message[], at: number) => Message[] | undefined> = {
  'a tool message is lost': (messages, at) => (messages[at]?.role === 'tool' ? messages.toSpliced(at, 1) : undefined),
  'a call message is lost': (messages, at) =>
    messages[at + 1]?.role === 'tool' ? messages.toSpliced(at, 1) : undefined,
  'one result is lost': (messages, at) => {
    const message = messages[at]
    return message?.role === 'tool' ? messages.with(at, { ...message, results: message.results.slice(1) }) : undefined
  },
  'a user speaks between call and result': (messages, at) =>
    messages[at]?.role === 'tool' ? messages.toSpliced(at, 0, user('between')) : undefined,
  'a message comes twice': (messages, at) => {
    const message = messages[at]
    return message && messages.toSpliced(at, 0, message)
  },
  'results are reversed': (messages, at) => {
    const message = messages[at]
    if (message?.role !== 'tool' || message.results.length < 2) return undefined
    return messages.with(at, { ...message, results: message.results.toReversed() })
  },
  'a reply is emptied': (messages, at) => {
    const message = messages[at]
    return message?.role === 'assistant' ? messages.with(at, { ...message, content: [] }) : undefined
  },
}

test('sound histories are accepted, cut after any user or tool message', () => {
  fc.assert(
    fc.property(sound, spots, (messages, spot) => {
      const end = spot % messages.length
      if (messages[end]?.role === 'assistant') return
      expect(checkHistory(messages.slice(0, end + 1), { request: true }).problems).toEqual([])
    }),
  )
})

test.each(Object.entries(spoilers))('refused wherever it happens: %s', (_name, spoil) => {
  let spoiled = 0
  fc.assert(
    fc.property(sound, (messages) => {
      for (const at of messages.keys()) {
        const broken = spoil(messages, at)
        if (broken === undefined) continue
        spoiled += 1
        expect(checkHistory(broken).ok).toBe(false)
      }
    }),
    { numRuns: 30 },
  )
  expect(spoiled).toBeGreaterThan(10)
})
