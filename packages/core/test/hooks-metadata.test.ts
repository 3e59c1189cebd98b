import { tool } from '@turnloop/core'
import { expect, test } from 'vitest'
import { runHooked } from './hooks-setup.ts'

test('metadata is of one turn, frozen, and stored nowhere', async () => {
  const seen: unknown[] = []
  const look = tool({ name: 'look', description: 'Looks', execute: (_input, { metadata }) => void seen.push(metadata) })
  const { entries } = await runHooked(
    [{ calls: [{ name: 'look' }] }, 'Done.'],
    { preHooks: [({ metadata }) => void seen.push(Object.isFrozen(metadata))] },
    { tools: [look], turn: { metadata: { tenant: 'acme' } } },
  )

  expect(seen).toEqual([true, { tenant: 'acme' }])
  expect(JSON.stringify(entries)).not.toContain('acme')
})
