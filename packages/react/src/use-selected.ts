import { createSelection, shallowEqual } from '@turnloop/core'
import { useState, useSyncExternalStore } from 'react'

/** What can be read and watched: a core `Session` is one, and so is every store of this package. */
export interface Readable<State> {
  /** Must return the same object until something has changed. */
  getSnapshot(): State
  /** Must work detached from its object, and be the same function for as long as the source is the same. */
  subscribe: (listener: () => void) => () => void
  /** What is shown on a server and while hydrating. Default: `getSnapshot`. */
  getServerSnapshot?(): State
}

/** Whether two slices are the same to whoever shows them. */
export type IsEqual<Slice> = (a: Slice, b: Slice) => boolean

/**
 * Read a slice of a source, and render again only when that slice changes.
 *
 * `select` may be written inline and may build objects and arrays: a slice whose members are the same counts as the
 * same, and the earlier object is returned. `isEqual` replaces that rule; with `Object.is` every built object is new.
 */
export function useSelected<State, Slice>(
  source: Readable<State>,
  select: (state: State) => Slice,
  isEqual: IsEqual<Slice> = shallowEqual,
): Slice {
  const [choose] = useState(() => createSelection<State, Slice>())
  const read = (): Slice => choose(source.getSnapshot(), select, isEqual)
  const readOnServer = (): Slice => choose(source.getServerSnapshot?.() ?? source.getSnapshot(), select, isEqual)
  return useSyncExternalStore(source.subscribe, read, readOnServer)
}
