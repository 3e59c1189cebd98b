/** Whether two pieces of plain data say the same; a missing key and an `undefined` one do. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  // Both are objects; their keys are looked up as they come.
  return hasAllOf(a as Fields, b as Fields, true) && hasAllOf(b as Fields, a as Fields, false)
}

type Fields = Readonly<Record<string, unknown>>

/** Whether `b` has what `a` has; `isDeep`: and says the same there. */
function hasAllOf(a: Fields, b: Fields, isDeep: boolean): boolean {
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    const inner = Object.hasOwn(b, key) ? b[key] : undefined
    if (isDeep ? !isSameData(a[key], inner) : inner === undefined) return false
  }
  return true
}
