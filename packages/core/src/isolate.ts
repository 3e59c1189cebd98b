import { StorageError } from './errors.ts'
import { deepFreeze } from './json.ts'
import { uncloneablePath } from './uncloneable-path.ts'

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
