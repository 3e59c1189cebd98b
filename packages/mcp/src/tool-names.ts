/** The longest name that every provider takes. */
const LONGEST = 64
const HASH_LENGTH = 6

/**
 * The name that a model sees for a tool of a server: letters, digits, `_` and `-`, at most 64.
 *
 * A name that fits stays as it is, behind the prefix. One that has to be changed ends in a hash of the original, always:
 * so two names never become one, and a name depends neither on the other tools nor on their order.
 */
export function toToolName(original: string, prefix = ''): string {
  const name = prefix + original
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  const tail = `_${hash(original)}`
  return plain.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, LONGEST - tail.length) + tail
}

/** FNV-1a over UTF-16 units: short and stable, and at once, which WebCrypto is not. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value >>> 0).toString(36).padStart(HASH_LENGTH, '0').slice(-HASH_LENGTH)
}
