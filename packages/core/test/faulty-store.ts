import type { MemoryStore } from '@turnloop/core'
import { type FaultyStore as AnyFaultyStore, type StoreFault, storeFaults } from '@turnloop/testing'

export { faultyStore, type StoreFault as Behaviour } from '@turnloop/testing'

/** On a disk in memory. */
export type FaultyStore = AnyFaultyStore<MemoryStore>

export const refuse: typeof storeFaults.refuse = storeFaults.refuse
export const waitFor: typeof storeFaults.waitFor = storeFaults.waitFor
export const loseAnswer: StoreFault = storeFaults.loseAnswer
export const throwForeign: StoreFault = storeFaults.throwForeign
export const hang: StoreFault = storeFaults.hang
export const hangAfter: StoreFault = storeFaults.hangAfter
