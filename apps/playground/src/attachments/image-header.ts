/** What the first bytes of an image tell. Width and height are of its pixels as they are stored. */
export interface ImageHeader {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly width: number
  readonly height: number
}

/** Read what kind of image bytes are, and its size; `undefined` for what is no PNG, JPEG, GIF or WebP. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (startsWith(bytes, '\x89PNG\r\n\x1a\n'))
      return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
    if (startsWith(bytes, 'GIF8'))
      return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
    if (startsWith(bytes, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', ...jpegSize(view) }
    if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8))
      return { mediaType: 'image/webp', ...webpSize(bytes, view) }
    return undefined
  } catch {
    // It breaks off before it has said how large it is.
    return undefined
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The frame header stands behind other segments, each with its length. Source: ITU-T T.81, B.2.2. */
function jpegSize(view: DataView): Size {
  let at = 2
  for (;;) {
    const marker = view.getUint8(at + 1)
    // C4, C8 and CC are no frames.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // A marker may be led by any number of fill bytes.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
}

/** Three forms of it, each with the size elsewhere. Source: RFC 9649, 2.5 to 2.7. */
function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (startsWith(bytes, 'VP8X', 12)) return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
  if (startsWith(bytes, 'VP8L', 12)) {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function startsWith(bytes: Uint8Array, letters: string, at = 0): boolean {
  return [...letters].every((letter, index) => bytes[at + index] === letter.charCodeAt(0))
}
