import { TurnloopError } from './errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { UserMessage, UserPart } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import { randomId } from './random-id.ts'
import { userMessage } from './turn-input.ts'

/** A change of the state as plain JSON. Throws `bad-input` for what is none. */
export function toPatch(patch: JsonObject): JsonObject {
  const plain = toPlainJson(patch, 'state')
  if (!isJsonObject(plain)) throw new TurnloopError('bad-input', 'setState: expected an object of changes.')
  return plain
}

/** A message that people see and no model does. Throws `bad-input` for an empty one, or for data that is no plain JSON. */
export function toNote(
  content: string | readonly UserPart[],
  data: JsonValue | undefined,
  createdAt: number,
): UserMessage {
  const message = userMessage(content, { id: randomId(), createdAt })
  const more = data === undefined ? {} : { data: toPlainJson(data, 'data') }
  return { ...message, synthetic: 'note', ...more }
}
