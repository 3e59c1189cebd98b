import { isRecord } from '../data/is-record.ts'

/** A value that an entry names and the log does not hold, because it is large. */
export interface ValueApart {
  readonly hash: string
  readonly byteLength: number
  /** What it is, in a few words. */
  readonly label: string
  readonly mediaType?: string
}

/** What an entry says about the things in it that have no name of their own. */
interface Owner {
  readonly label: string
  readonly mediaType?: string
}

/** The values that an entry names and the log does not hold, in the order in which they stand. */
export function valuesApart(value: unknown, owner: Owner = { label: 'value' }): ValueApart[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesApart(item, owner))
  if (!isRecord(value)) return []
  const { blob, byteLength } = value
  if (typeof blob === 'string' && typeof byteLength === 'number') return [{ hash: blob, byteLength, ...owner }]
  const own = ownerOf(value, owner)
  return Object.values(value).flatMap((held) => valuesApart(held, own))
}

function ownerOf(value: Readonly<Record<string, unknown>>, outer: Owner): Owner {
  const { filename, mediaType = value.mimeType, type, content } = value
  if (typeof mediaType === 'string') return { label: typeof filename === 'string' ? filename : mediaType, mediaType }
  if (type === 'text') return { label: 'text', mediaType: 'text/plain' }
  return Array.isArray(content) ? { label: 'structured result', mediaType: 'application/json' } : outer
}

const LONGEST = 2_000

/** A value as JSON for people: long texts, and bytes as text, only begin. */
export function readableJson(value: unknown): string {
  const shorten = (_: string, held: unknown): unknown =>
    typeof held === 'string' && held.length > LONGEST
      ? `${held.slice(0, 200)}… (${held.length.toLocaleString('en')} characters)`
      : held
  return JSON.stringify(value, shorten, 2)
}
