// `String.fromCharCode` takes its bytes as arguments, and engines limit how many those may be.
const CHUNK_BYTES = 0x8000

/** Bytes as base64, of any length. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES))
  }
  return btoa(text)
}
