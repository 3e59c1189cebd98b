import type { Agent, SessionStore } from '@turnloop/core'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { DataLibrary, DataSnapshot } from '../data/tables.ts'
import type { McpServers } from '../tools/mcp-servers.ts'

/** What every part of the page works with. Made once, in `main.tsx`. */
export interface Playground {
  readonly agent: Agent
  readonly store: SessionStore
  readonly library: DataLibrary
  readonly servers: McpServers
}

/** Hands the playground to all parts of the page; they read it with `usePlayground`. */
export const PlaygroundContext = createContext<Playground | undefined>(undefined)

/** The agent, the store and the data of this page. */
export function usePlayground(): Playground {
  const playground = useContext(PlaygroundContext)
  if (playground === undefined) throw new Error('A part of the playground stands outside PlaygroundContext.')
  return playground
}

/** The tables as they stand, and what is being read. */
export function useData(): DataSnapshot {
  const { library } = usePlayground()
  return useSyncExternalStore(library.subscribe, library.getSnapshot)
}
