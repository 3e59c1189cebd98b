import type { QueuedInput } from '@turnloop/core'
import { expect, test } from 'vitest'
import { isStoppable } from '../src/app/use-stop.ts'

const waiting: QueuedInput = { id: 'input', turnId: 'turn', createdAt: 0, content: [] }

test.each(['running', 'awaiting'] as const)('a turn that is %s can be stopped', (status) => {
  expect(isStoppable({ status, queue: [] })).toBe(true)
})

test('a question that waits for its session to be loaded can be stopped', () => {
  expect(isStoppable({ status: 'loading', queue: [waiting] })).toBe(true)
  expect(isStoppable({ status: 'loading', queue: [] })).toBe(false)
})

test.each(['idle', 'cancelling', 'closed'] as const)('a session that is %s has nothing to stop', (status) => {
  expect(isStoppable({ status, queue: [waiting] })).toBe(false)
})
