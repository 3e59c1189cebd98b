/** Picks a slice of a snapshot. */
export type Selection<Snapshot, Slice> = (
  snapshot: Snapshot,
  select: (snapshot: Snapshot) => Slice,
  isEqual: (a: Slice, b: Slice) => boolean,
) => Slice

/**
 * Remember the last slice, so that an unchanged one stays the same object even when the selector is a new function.
 *
 * That is what lets a selector build objects: `useSyncExternalStore` may read twice and must see the same thing.
 */
export function createSelection<Snapshot, Slice>(): Selection<Snapshot, Slice> {
  let last: { snapshot: Snapshot; select: (snapshot: Snapshot) => Slice; slice: Slice } | undefined
  return (snapshot, select, isEqual) => {
    if (last?.snapshot === snapshot && last.select === select) return last.slice
    const next = select(snapshot)
    const slice = last !== undefined && isEqual(last.slice, next) ? last.slice : next
    last = { snapshot, select, slice }
    return slice
  }
}

/** Whether two values are the same, or plain objects or arrays whose members are the same. */
export function shallowEqual<T>(a: T, b: T): boolean {
  if (Object.is(a, b)) return true
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && Object.is(a[key], b[key]))
}

/** A map, a set or an instance of a class has its members elsewhere: two of them are never taken for equal. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}
