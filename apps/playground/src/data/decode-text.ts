import { TableError } from './table-error.ts'

/**
 * Turn the bytes of a file into text.
 *
 * UTF-8 and UTF-16 with their byte order marks, UTF-8 without, and, if the bytes are not valid UTF-8, Windows-1252, which
 * is what older spreadsheet programs write. Throws `TableError` `not-a-table` for what is no text at all.
 */
export function decodeText(bytes: Uint8Array, fileName: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  refuseBinary(bytes, fileName)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function refuseBinary(bytes: Uint8Array, fileName: string): void {
  // Excel, Numbers and OpenDocument files are zip archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04) {
    throw new TableError(
      'not-a-table',
      `${fileName} is a spreadsheet or zip file. Save the sheet as CSV and drop that instead.`,
    )
  }
  if (bytes.subarray(0, 4096).includes(0)) {
    throw new TableError('not-a-table', `${fileName} is not text. Drop a CSV, TSV or JSON file.`)
  }
}
