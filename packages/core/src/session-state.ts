import { TurnloopError } from './errors.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { toPlainJson } from './plain-json.ts'
import type { performTask } from './session-tasks.ts'

/** Change the state between two turns. */
export function changeState(patch: JsonObject): Parameters<typeof performTask<void>>[2] {
  const plain = toPlainJson(patch, 'state')
  if (!isJsonObject(plain)) throw new TurnloopError('bad-input', 'setState: expected an object of changes.')
  return async (_job, { storage }) => {
    storage.append({ type: 'state-changed', patch: plain })
  }
}
