import type { OutputSpec } from './answer-tool.ts'
import { type EmbeddedJson, findEmbeddedJson } from './embedded-json.ts'
import { describeThrown } from './errors.ts'
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue, kindOf } from './json.ts'
import { readings } from './mend-value.ts'
import { readJson } from './read-json.ts'

/** How an answer was found: it is the whole text; all of a code fence around the text; somewhere in the text. */
export type OutputRung = 'whole' | 'fence' | 'embedded'

/** A structured answer, or why there is none. */
export type ParsedOutput =
  | {
      readonly ok: true
      /** What the schema made of it. */
      readonly value: unknown
      /** The JSON that the model meant: mended, plain, frozen. */
      readonly json: JsonObject
      readonly rung: OutputRung
    }
  | NoOutput

interface NoOutput {
  readonly ok: false
  /** Whole sentences or lines of the schema, at least one, fit for the model and for people. */
  readonly problems: readonly string[]
  /** The nearest JSON that was there, unchecked; of a broken one as far as it goes. */
  readonly partial?: JsonValue
}

/**
 * Find the one object in a reply's text that fits a schema.
 *
 * Looked for in this order: the whole text; all of a code fence around the text; the only object somewhere in it that fits.
 * What is JSON on one of the first two is the answer, fit or not. Line breaks and tabs inside strings may stand as they are.
 * Never rejects. Source: the structured output guide, "How a text is read".
 */
export async function parseOutput(text: string, spec: OutputSpec): Promise<ParsedOutput> {
  const trimmed = text.trim()
  const whole = readWhole(trimmed)
  if (whole !== undefined) return checkAs('whole', whole, spec)
  const fenced = readWhole(insideFence(trimmed))
  return fenced === undefined ? checkEmbedded(trimmed, spec) : checkAs('fence', fenced, spec)
}

/**
 * Check a parsed answer as the arguments of a tool are checked: misplaced nulls count as absent, and text where only a list
 * or object may stand is decoded, both only if the result fits. Its rung is `'whole'`. Never rejects.
 */
export function checkOutput(value: JsonValue, spec: OutputSpec): Promise<ParsedOutput> {
  return checkAs('whole', value, spec)
}

async function checkAs(rung: OutputRung, value: JsonValue, spec: OutputSpec): Promise<ParsedOutput> {
  try {
    // A whole object that was written as text once more.
    const meant = typeof value === 'string' && value.trimStart().startsWith('{') ? (readWhole(value) ?? value) : value
    if (!isJsonObject(meant)) return fail(`The answer must be a JSON object, not ${kindOf(meant)}.`, meant)
    let problems: readonly string[] = []
    for (const json of readings(meant, spec.schema)) {
      const checked = await spec.check(json)
      if (checked.ok) return { ok: true, value: checked.value, json: deepFreeze(json), rung }
      if (json === meant) problems = checked.problems
    }
    return { ok: false, problems, partial: meant }
  } catch (error) {
    return fail(`The answer could not be checked (${describeThrown(error)}).`)
  }
}

/** More than this are no answer with some words around it, and checking costs what the schema costs. */
const MAX_EMBEDDED = 100

async function checkEmbedded(text: string, spec: OutputSpec): Promise<ParsedOutput> {
  const { whole, broken } = findEmbeddedJson(text)
  let fit: ParsedOutput | undefined
  let nearest: NoOutput | undefined
  if (whole.length > MAX_EMBEDDED) return fail(AMBIGUOUS)
  for (const { value, start } of whole) {
    // Models that have no tools write calls like this, and they fit many a schema that has a name.
    const isCall = text.slice(0, start).trimEnd().endsWith('<tool_call>')
    const checked = isCall ? fail('A tool call written as text is no answer.') : await checkAs('embedded', value, spec)
    if (checked.ok && fit !== undefined) return fail(AMBIGUOUS)
    if (checked.ok) fit = checked
    else if (nearest === undefined || (isJsonObject(checked.partial) && !isJsonObject(nearest.partial)))
      nearest = checked
  }
  return fit ?? nearest ?? describeBroken(text, broken)
}

const AMBIGUOUS = 'More than one JSON object in the text could be the answer. Send exactly one.'

function describeBroken(text: string, broken: EmbeddedJson | undefined): NoOutput {
  if (broken === undefined || !text.includes('{')) return fail('The text holds no JSON object.')
  const partial = Object.keys(broken.value ?? {}).length > 0 ? broken.value : undefined
  const place = text.slice(broken.end, broken.end + 40)
  // The last number, word or escape may be cut as well.
  if (/^\\?[-+.\w]*$/.test(place)) return fail('The JSON breaks off before its end.', partial)
  return fail(`The text is not JSON from ${JSON.stringify(place)} on.`, partial)
}

function fail(problem: string, partial?: JsonValue): NoOutput {
  return { ok: false, problems: [problem], ...(partial !== undefined && { partial }) }
}

/** The value that a text is, or `undefined`. Models break the lines of a string where JSON wants `\n`. */
function readWhole(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    const { value, end, isWhole } = readJson(text)
    return isWhole && text.slice(end).trim() === '' ? value : undefined
  }
}

/** What is inside a code fence that is around the whole text; `''` where there is none. */
function insideFence(text: string): string {
  return text.startsWith('```') && text.endsWith('```') ? text.slice(text.indexOf('\n') + 1, -3) : ''
}
