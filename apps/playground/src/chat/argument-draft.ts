import type { JsonObject, JsonValue } from '@turnloop/core'
import { isObject } from './tool-words.ts'

/** One argument as a person edits it. */
export interface ArgumentField {
  readonly name: string
  /** Flat values have fields of their own kind; the rest is edited as JSON. */
  readonly kind: 'text' | 'number' | 'switch' | 'json'
  /** A switch has `'true'` or `'false'`. */
  readonly value: string
}

/** What the fields come to: arguments, or what is wrong, by field. */
export type ReadFields =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> }

/** The arguments as fields, in their order; `asked` are those that the person has to fill in, empty at first. */
export function toFields(input: JsonValue, asked: readonly string[] = []): ArgumentField[] {
  const known = isObject(input) ? Object.entries(input).flatMap(([name, value]) => toField(name, value)) : []
  const missing = asked.filter((name) => !known.some((field) => field.name === name))
  return [...known, ...missing.map((name): ArgumentField => ({ name, kind: 'text', value: '' }))]
}

function toField(name: string, value: JsonValue | undefined): ArgumentField | [] {
  if (value === undefined) return []
  if (typeof value === 'string') return { name, kind: 'text', value }
  if (typeof value === 'number') return { name, kind: 'number', value: String(value) }
  if (typeof value === 'boolean') return { name, kind: 'switch', value: String(value) }
  return { name, kind: 'json', value: JSON.stringify(value, null, 2) }
}

/** The fields as arguments again. */
export function readFields(fields: readonly ArgumentField[]): ReadFields {
  const input: Record<string, JsonValue> = {}
  const problems = new Map<string, string>()
  for (const field of fields) {
    const value = readField(field)
    if (value === undefined) problems.set(field.name, PROBLEMS[field.kind])
    else input[field.name] = value
  }
  return problems.size === 0 ? { ok: true, input } : { ok: false, problems }
}

const PROBLEMS: Readonly<Record<ArgumentField['kind'], string>> = {
  text: 'Write something.',
  number: 'Write a number.',
  switch: 'Choose.',
  json: 'This is not JSON.',
}

function readField({ kind, value }: ArgumentField): JsonValue | undefined {
  switch (kind) {
    case 'text':
      return value
    case 'switch':
      return value === 'true'
    case 'number': {
      const number = Number(value)
      return value.trim() === '' || !Number.isFinite(number) ? undefined : number
    }
    case 'json':
      return parseJson(value)
  }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
