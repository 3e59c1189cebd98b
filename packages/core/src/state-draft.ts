import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { toPlainJson } from './plain-json.ts'

/** The session's state as a hook or tool may change it, in place or as a whole: plain JSON. `null` removes a key. */
export interface StateDraft {
  [key: string]: unknown
}

/** One hook's or tool's own look at the state, taken when it first asks for it. */
export class StateLook {
  readonly #current: () => JsonObject
  #before: JsonObject | undefined
  #draft: StateDraft | undefined

  constructor(current: () => JsonObject) {
    this.#current = current
  }

  get draft(): StateDraft {
    if (this.#draft === undefined) {
      this.#before = this.#current()
      this.#draft = structuredClone(this.#before)
    }
    return this.#draft
  }

  set draft(whole: StateDraft) {
    this.#before ??= this.#current()
    this.#draft = whole
  }

  /**
   * What was changed, as a JSON merge patch; `undefined` where nothing was. Throws `bad-input` for what is no plain JSON,
   * naming its path.
   */
  takePatch(): JsonObject | undefined {
    if (this.#draft === undefined || this.#before === undefined) return undefined
    const after = toPlainJson(this.#draft, 'state')
    return diffState(this.#before, isJsonObject(after) ? after : {})
  }
}

/** The JSON merge patch that leads from one state to the other; `undefined` where they are the same. */
export function diffState(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, JsonValue> = {}
  for (const key of Object.keys(before)) if (before[key] !== undefined && after[key] === undefined) patch[key] = null
  for (const [key, value] of Object.entries(after)) {
    const old = before[key]
    if (value === undefined || value === old) continue
    if (isJsonObject(value) && isJsonObject(old)) {
      const inner = diffState(old, value)
      if (inner !== undefined) patch[key] = inner
    } else if (old === undefined || JSON.stringify(value) !== JSON.stringify(old)) patch[key] = value
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
