import { TurnloopError } from './errors.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { toPlainJson } from './plain-json.ts'

/** A change of the state as plain JSON. Throws `bad-input` for what is none. */
export function toPatch(patch: JsonObject): JsonObject {
  const plain = toPlainJson(patch, 'state')
  if (!isJsonObject(plain)) throw new TurnloopError('bad-input', 'setState: expected an object of changes.')
  return plain
}
