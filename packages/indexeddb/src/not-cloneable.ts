import { StorageError } from '@turnloop/core'

/** The error of a value that cannot be stored; `facts.path` is the innermost one, starting from `label`. */
export function notCloneable(label: string, value: unknown, cause: unknown): StorageError {
  const path = uncloneablePath(value, label)
  return new StorageError('not-cloneable', `${path} cannot be stored. Keep to plain data: JSON values.`, {
    cause,
    facts: { path },
  })
}

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
