import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** A file as Playwright hands it to a file chooser. */
export interface SampleFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** A picture of stripes; with `noise` it is as large as its pixels. */
export function pngFile(name: string, size: { width: number; height: number; noise?: boolean }): SampleFile {
  const { width, height, noise = false } = size
  const rows = Array.from({ length: height }, (_, y) => {
    const stripes = Array.from({ length: width * 3 }, (_, x) => (y >> 4) * 37 + x / 9)
    return Buffer.from([0, ...(noise ? randomBytes(width * 3) : stripes)])
  })
  const header = Buffer.from([...be(width), ...be(height), 8, 2, 0, 0, 0])
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.of())]
  return { name, mimeType: 'image/png', buffer: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]) }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([Buffer.from(be(data.length)), body, Buffer.from(be(crc32(body)))])
}

function be(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
}

/** A PDF with a page for each text; a page without one has no text in it. */
export function pdfFile(name: string, pages: readonly string[]): SampleFile {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const drawn = text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ]
    }),
  ]
  let file = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const at = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return { name, mimeType: 'application/pdf', buffer: Buffer.from(file + table + end, 'latin1') }
}

/** A text. */
export function textFile(name: string, text: string): SampleFile {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
}
