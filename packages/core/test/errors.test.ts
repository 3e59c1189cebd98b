import { isTurnloopError, ModelError } from '@turnloop/core'
import { expect, test } from 'vitest'

test('an error that lost its class in a clone is still recognised', () => {
  const { name, code, message } = new ModelError('stream-cut', 'The stream ended before its finish.')
  expect(isTurnloopError({ name, code, message })).toBe(true)
})
