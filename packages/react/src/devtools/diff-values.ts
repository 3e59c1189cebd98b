import { isMap } from './json-text.ts'

/** One place in which two values differ. */
export interface Change {
  /** As one would write it: `messages[3].content[0].text`, `calls["c-1"].state`. Empty for the values themselves. */
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

/** What became of a comparison. */
export interface Difference {
  /** In the order of the later value. */
  readonly changes: readonly Change[]
  /** There are more changes than were asked for. */
  readonly isCut: boolean
}

/**
 * Where two values differ, down to the smallest parts that do.
 *
 * What is the same object on both sides is not looked into, so that comparing two snapshots costs what has changed between
 * them. Of lists the beginning and the end that are the same are set aside first: one more message is one change. At most
 * `limit` changes are found.
 */
export function diffValues(before: unknown, after: unknown, limit = 500): Difference {
  const changes: Change[] = []
  const add = (change: Change): void => void changes.push(change)
  visit(before, after, { path: '', depth: 0, add, isFull: () => changes.length > limit })
  return { changes: changes.slice(0, limit), isCut: changes.length > limit }
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly add: (change: Change) => void
  readonly isFull: () => boolean
}

/** Deeper than any snapshot of ours; what lies deeper is told as a whole, also where it goes in circles. */
const DEEPEST = 40

function visit(before: unknown, after: unknown, place: Place): void {
  if (Object.is(before, after) || place.isFull()) return
  const { path, depth } = place
  const isDeep = depth >= DEEPEST
  if (!isDeep && Array.isArray(before) && Array.isArray(after)) visitLists(before, after, place)
  else if (!isDeep && isMap(before) && isMap(after)) visitKeys(mapKeys(before, after), place, '[')
  else if (!isDeep && isPlain(before) && isPlain(after)) visitKeys(objectKeys(before, after), place, '.')
  else place.add({ path, kind: 'changed', before, after })
}

/** A key with what stands under it on each side; `has` tells a value of `undefined` from none. */
type Pair = readonly [key: string, before: Side, after: Side]
interface Side {
  readonly has: boolean
  readonly value: unknown
}

function visitKeys(pairs: Iterable<Pair>, place: Place, notation: '.' | '['): void {
  for (const [key, before, after] of pairs) {
    if (before.has && after.has && Object.is(before.value, after.value)) continue
    if (place.isFull()) return
    visitSide(before, after, { ...place, path: pathTo(place.path, key, notation), depth: place.depth + 1 })
  }
}

function visitSide(before: Side, after: Side, place: Place): void {
  if (before.has && after.has) visit(before.value, after.value, place)
  else if (after.has) place.add({ path: place.path, kind: 'added', after: after.value })
  else place.add({ path: place.path, kind: 'removed', before: before.value })
}

function visitLists(before: readonly unknown[], after: readonly unknown[], place: Place): void {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && Object.is(before[start], after[start])) start += 1
  let end = 0
  while (end < shorter - start && Object.is(before[before.length - 1 - end], after[after.length - 1 - end])) end += 1
  const [beforeEnd, afterEnd] = [before.length - end, after.length - end]
  for (let index = start; index < Math.max(beforeEnd, afterEnd) && !place.isFull(); index += 1) {
    visitSide(
      { has: index < beforeEnd, value: before[index] },
      { has: index < afterEnd, value: after[index] },
      { ...place, path: `${place.path}[${index}]`, depth: place.depth + 1 },
    )
  }
}

function* mapKeys(before: ReadonlyMap<unknown, unknown>, after: ReadonlyMap<unknown, unknown>): Generator<Pair> {
  const sideOf = (map: ReadonlyMap<unknown, unknown>, key: unknown): Side => ({
    has: map.has(key),
    value: map.get(key),
  })
  for (const key of before.keys())
    if (!after.has(key)) yield [String(key), sideOf(before, key), { has: false, value: undefined }]
  for (const key of after.keys()) yield [String(key), sideOf(before, key), sideOf(after, key)]
}

type PlainObject = Readonly<Record<string, unknown>>

function* objectKeys(before: PlainObject, after: PlainObject): Generator<Pair> {
  const sideOf = (object: PlainObject, key: string): Side => ({ has: Object.hasOwn(object, key), value: object[key] })
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) yield [key, sideOf(before, key), sideOf(after, key)]
  for (const key of Object.keys(after)) yield [key, sideOf(before, key), sideOf(after, key)]
}

function isPlain(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isMap(value)
}

function pathTo(path: string, key: string, notation: '.' | '['): string {
  if (notation === '[' || !/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}
