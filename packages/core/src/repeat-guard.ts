import { canonicalJson } from './json.ts'
import { type CallToolResult, resultText, type ToolCallPart, type ToolResult } from './messages.ts'
import { REPEATED_TEXT } from './result-text.ts'

type AskedCall = Pick<ToolCallPart, 'toolName' | 'inputText'>

/** What is remembered of calls that are the same. */
interface Seen {
  readonly result: CallToolResult
  /** When that was, in the guard's own count. */
  epoch: number
  /** Runs in a row that came to this result. */
  runs: number
  /** Batches in which it was refused. */
  refusals: number
}

/**
 * Notices a model that makes the same call again and again and gets the same result each time.
 *
 * Calls are the same when tool name and arguments are, whatever the order of keys. A different result starts the count
 * anew, so asking again until something changes is never held up; and so does any call that succeeds and was not made
 * before, so that work and its check may take turns. Lives as long as one turn; holds the last result per call.
 * Source: the tools guide, "Calls that repeat".
 */
export class RepeatGuard {
  readonly #limit: number
  readonly #isOn: boolean
  readonly #seen: Map<string, Seen> = new Map()
  /** A call is asked about before it runs and recorded after: its arguments are read once. */
  readonly #keys: WeakMap<AskedCall, string> = new WeakMap()
  /** Counts the calls that were new: what was counted before the last of them is void. */
  #epoch = 0
  #isStuck = false

  /** `limit`: so many runs with equal results are allowed; 0 or less, and Infinity: any number. */
  constructor(limit: number) {
    this.#limit = limit
    this.#isOn = limit > 0 && limit < Number.POSITIVE_INFINITY
  }

  /** Whether a call is to run: `'refuse'` once it has come to the same result as often as the limit allows. Pure. */
  check(call: AskedCall): 'run' | 'refuse' {
    if (!this.#isOn) return 'run'
    const seen = this.#seen.get(this.#keyOf(call))
    const runs = seen?.epoch === this.#epoch ? seen.runs : 0
    return runs >= this.#limit ? 'refuse' : 'run'
  }

  /**
   * Take in an answered batch. What ran and said so counts, a call without a tool of that name too; what was stopped,
   * denied or lost does not.
   */
  record(calls: readonly ToolCallPart[], results: readonly ToolResult[]): void {
    if (!this.#isOn) return
    const byId = new Map(calls.map((call) => [call.callId, call]))
    const isNew = ({ callId, status }: ToolResult): boolean => {
      const call = byId.get(callId)
      return status === 'ok' && call !== undefined && !this.#seen.has(this.#keyOf(call))
    }
    // Something else was done, and what failed before may come out differently now.
    if (results.some(isNew)) this.#epoch += 1
    const refused = new Set<Seen>()
    for (const result of results) {
      const call = byId.get(result.callId)
      if (call === undefined) continue
      if (result.status === 'ok' || result.status === 'error') this.#addRun(this.#keyOf(call), result.result)
      else if (resultText(result.result) === REPEATED_TEXT) {
        const seen = this.#seen.get(this.#keyOf(call))
        if (seen?.epoch === this.#epoch) refused.add(seen)
      }
    }
    // Once per batch: within one, the model has not read yet that it was refused.
    for (const seen of refused) {
      seen.refusals += 1
      this.#isStuck ||= seen.refusals > 1
    }
  }

  /** True once a call that had been refused was made, and refused, again: the model does not listen. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  #keyOf(call: AskedCall): string {
    const known = this.#keys.get(call)
    if (known !== undefined) return known
    const key = `${call.toolName}\n${canonicalInput(call.inputText)}`
    this.#keys.set(call, key)
    return key
  }

  #addRun(key: string, result: CallToolResult): void {
    const seen = this.#seen.get(key)
    const epoch = this.#epoch
    if (seen?.epoch === epoch && isSameResult(seen.result, result)) seen.runs += 1
    else this.#seen.set(key, { result, epoch, runs: 1, refusals: 0 })
  }
}

/** Blank arguments are none; text that is no JSON stands for itself. */
function canonicalInput(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    return canonicalJson(JSON.parse(text))
  } catch {
    return text
  }
}

function isSameResult(a: CallToolResult, b: CallToolResult): boolean {
  return (
    Boolean(a.isError) === Boolean(b.isError) &&
    isSameJson(a.content, b.content) &&
    isSameJson(a.structuredContent, b.structuredContent)
  )
}

/** Whether two JSON values are equal, whatever the order of keys. Stops at the first difference: results can be large. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(Reflect.get(a, key), Reflect.get(b, key)))
}
