/**
 * Where in a value structured clone fails, for the error of a store: `head.state.rows[0].draw`. `path` is that of the value.
 *
 * Names the innermost value that fails by itself. Costs a clone per level. Never throws.
 */
export function uncloneablePath(value: unknown, path: string): string {
  return innermost(value, path, new Set())
}

function innermost(value: unknown, path: string, seen: Set<unknown>): string {
  // A cycle would lead round for ever.
  seen.add(value)
  const culprit = membersOf(value).find(([, inner]) => !seen.has(inner) && !isCloneable(inner))
  return culprit === undefined ? path : innermost(culprit[1], path + culprit[0], seen)
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
