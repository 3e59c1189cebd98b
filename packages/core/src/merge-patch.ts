import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** JSON merge patch, RFC 7396: `null` removes, objects merge, everything else replaces. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const before = result[key]
    if (value === null) delete result[key]
    else result[key] = isJsonObject(value) ? mergePatch(isJsonObject(before) ? before : {}, value) : value
  }
  return result
}
