/** How many changes gather on top before they are folded into the base. */
const TOP_SIZE = 64

/**
 * An immutable map in which changing one entry does not copy all of them.
 *
 * Recent changes lie in a small layer over a large, shared base; the base is rebuilt once in `TOP_SIZE` changes. Entries
 * are never removed.
 */
export class LayeredMap<K, V> implements ReadonlyMap<K, V> {
  readonly #base: ReadonlyMap<K, V>
  readonly #top: ReadonlyMap<K, V>
  readonly size: number

  /** `top` goes over `base`; together they have `size` keys. */
  constructor(base: ReadonlyMap<K, V> = new Map(), top: ReadonlyMap<K, V> = new Map(), size: number = base.size) {
    this.#base = base
    this.#top = top
    this.size = size
  }

  /** A map that differs in one entry. */
  with(key: K, value: V): LayeredMap<K, V> {
    const size = this.has(key) ? this.size : this.size + 1
    if (this.#top.size < TOP_SIZE) return new LayeredMap(this.#base, new Map(this.#top).set(key, value), size)
    const base = new Map(this.#base)
    for (const [known, own] of this.#top) base.set(known, own)
    return new LayeredMap(base, new Map([[key, value]]), size)
  }

  get(key: K): V | undefined {
    return this.#top.has(key) ? this.#top.get(key) : this.#base.get(key)
  }

  has(key: K): boolean {
    return this.#top.has(key) || this.#base.has(key)
  }

  forEach(callback: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) callback(value, key, this)
  }

  *entries(): MapIterator<[K, V]> {
    for (const [key, value] of this.#base) {
      // The key is there, so what `get` gives is a value, be it `undefined`.
      yield [key, this.#top.has(key) ? (this.#top.get(key) as V) : value]
    }
    for (const [key, value] of this.#top) if (!this.#base.has(key)) yield [key, value]
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries()
  }
}
