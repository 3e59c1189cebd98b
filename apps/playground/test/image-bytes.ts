/** Headers of images without any pixels, as small as they can be. */
export const imageBytes = {
  png: (width: number, height: number): Uint8Array =>
    bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', big(width, 4), big(height, 4), [8, 6, 0, 0, 0]),
  gif: (width: number, height: number): Uint8Array => bytes('GIF89a', little(width, 2), little(height, 2)),
  /** With a segment and fill bytes before the frame, as cameras write them. */
  jpeg: (width: number, height: number): Uint8Array =>
    bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8], big(height, 2), big(width, 2), [3]),
  webp: (width: number, height: number): Uint8Array =>
    bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0], little(width - 1, 3), little(height - 1, 3)),
  webpLossless: (width: number, height: number): Uint8Array =>
    bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 0x2f], little((width - 1) | ((height - 1) << 14), 4)),
  webpLossy: (width: number, height: number): Uint8Array =>
    bytes(
      ...['RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a]],
      ...[little(width, 2), little(height, 2)],
    ),
}

/** Bytes as a file part holds them. */
export function toBase64(content: Uint8Array): string {
  return btoa(String.fromCharCode(...content))
}

function bytes(...pieces: readonly (string | readonly number[])[]): Uint8Array {
  return Uint8Array.from(
    pieces.flatMap((piece) => (typeof piece === 'string' ? [...piece].map((letter) => letter.charCodeAt(0)) : piece)),
  )
}

function little(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => (value >> (8 * index)) & 0xff)
}

function big(value: number, size: number): number[] {
  return little(value, size).reverse()
}
