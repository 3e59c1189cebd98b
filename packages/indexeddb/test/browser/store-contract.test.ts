import { indexedDbStore } from '@turnloop/indexeddb'
import { storeContract } from '@turnloop/testing'
import { test } from 'vitest'
import { freshName } from './databases.ts'

let name = ''
const cases = storeContract({
  createStore: async () => {
    name = freshName()
    return indexedDbStore({ name })
  },
  reopen: async () => indexedDbStore({ name }),
})

for (const { name: fact, run } of cases) test(fact, { timeout: 20_000 }, run)
