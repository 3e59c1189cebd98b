import { StorageError } from './errors.ts'
import { deepFreeze } from './json.ts'

/** The value itself if nobody can change it, else a frozen copy. Throws `not-cloneable` with the path of what has none. */
export function isolate<T>(value: T, path: string): T {
  try {
    return isFrozenData(value, new Set()) ? value : deepFreeze(structuredClone(value))
  } catch (cause) {
    const where = uncloneablePath(value, path)
    throw new StorageError('not-cloneable', `${where} cannot be stored. Keep to plain data: JSON values.`, {
      cause,
      facts: { path: where },
    })
  }
}

/** Whether a value is plain data and frozen throughout. */
function isFrozenData(value: unknown, seen: Set<object>): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false
  if (typeof value !== 'object' || value === null || seen.has(value)) return true
  seen.add(value)
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return isPlain && Object.isFrozen(value) && Object.values(value).every((inner) => isFrozenData(inner, seen))
}

/** The path of the innermost value that structured clone refuses. */
function uncloneablePath(value: unknown, path: string, seen: Set<unknown> = new Set()): string {
  // A cycle would lead round for ever.
  seen.add(value)
  const culprit = membersOf(value).find(([, inner]) => !seen.has(inner) && !isCloneable(inner))
  return culprit === undefined ? path : uncloneablePath(culprit[1], path + culprit[0], seen)
}

/** What a plain object or array holds, each with its step in a path. */
function membersOf(value: unknown): [step: string, inner: unknown][] {
  try {
    if (Array.isArray(value)) return value.map((inner, index) => [`[${index}]`, inner])
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).map(([key, inner]) => [`.${key}`, inner])
  } catch {
    // A revoked proxy, or a getter that throws.
    return []
  }
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
