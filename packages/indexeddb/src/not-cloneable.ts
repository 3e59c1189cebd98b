import { StorageError, uncloneablePath } from '@turnloop/core'

/** The error of a value that cannot be stored; `facts.path` is the innermost one, starting from `label`. */
export function notCloneable(label: string, value: unknown, cause: unknown): StorageError {
  const path = uncloneablePath(value, label)
  return new StorageError('not-cloneable', `${path} cannot be stored. Keep to plain data: JSON values.`, {
    cause,
    facts: { path },
  })
}
