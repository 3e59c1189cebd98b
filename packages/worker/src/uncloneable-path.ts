/**
 * Where in a value structured clone fails: `result.rows.0.draw`. For error messages; costs a clone per level.
 *
 * Names the deepest value that fails by itself. What hides behind a getter, a Map or a Set is named by its container.
 */
export function uncloneablePath(value: unknown, root: string, seen: ReadonlySet<unknown> = new Set()): string {
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Set) return root
  const withThis = new Set(seen).add(value)
  for (const [key, inner] of Object.entries(value)) {
    if (!withThis.has(inner) && !isCloneable(inner)) return uncloneablePath(inner, `${root}.${key}`, withThis)
  }
  return root
}

/** Whether structured clone takes a value. */
export function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
