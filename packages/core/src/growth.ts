import { LayeredMap } from './layered-map.ts'

/** How the collections of a snapshot get larger. */
export interface Growth {
  /** A list with one more item at its end. */
  push<T>(list: readonly T[], item: T): readonly T[]
  /** A map in which one entry differs. */
  set<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V>
}

/** What grows is a copy: others may hold what was there before. */
export const byCopy: Growth = {
  push: (list, item) => [...list, item],
  set: (map, key, value) => (map instanceof LayeredMap ? map : new LayeredMap(map)).with(key, value),
}

/**
 * What grows is copied once and then changed in place, so that taking in a long log takes time in proportion to it.
 *
 * Only while nobody else has seen what is being made.
 */
export function inPlace(): Growth {
  const lists = new Map<unknown, unknown[]>()
  const maps = new Map<unknown, Map<unknown, unknown>>()
  return {
    push<T>(list: readonly T[], item: T): readonly T[] {
      // What is kept under itself is the copy that was made here, of the same kind of items.
      const own = (lists.get(list) as T[] | undefined) ?? [...list]
      lists.set(own, own)
      own.push(item)
      return own
    },
    set<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
      // As above.
      const own = (maps.get(map) as Map<K, V> | undefined) ?? new Map(map)
      maps.set(own, own)
      return own.set(key, value)
    },
  }
}
