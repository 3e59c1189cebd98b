import { expect, test } from 'vitest'
import { attachFiles, attachTroubles } from '../src/chat/attach-files.ts'

test('what cannot be attached is told once, if added twice', async () => {
  const empty = (): File => new File([], 'empty.md')

  await attachFiles('s', [empty(), empty()])

  expect(attachTroubles.get().get('s')).toEqual(['empty.md is empty.'])
})
