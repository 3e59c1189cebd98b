export type { IndexedDbStore, IndexedDbStoreOptions } from './indexed-db-store.ts'
export { indexedDbStore } from './indexed-db-store.ts'
export type { StorageUse } from './quota.ts'
export { requestPersistence, storageEstimate } from './quota.ts'
