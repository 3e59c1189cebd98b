import { indexedDbStore } from '@turnloop/indexeddb'
import { hostSession } from '@turnloop/worker/host'
import { createTabAgent, DATABASE } from './tab-agent.ts'

/** In a worker, or a shared one: drive the sessions of the tabs. */
hostSession({ agent: createTabAgent(), store: indexedDbStore({ name: DATABASE }) })
