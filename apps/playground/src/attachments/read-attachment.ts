import type { FilePart, UserPart } from '@turnloop/core'
import { formatBytes, plural } from '../app/format.ts'
import { decodeText } from '../data/decode-text.ts'
import { AttachmentError } from './attachment-error.ts'
import { FITTING_KINDS, fileKind } from './file-kinds.ts'
import { readImageHeader } from './image-header.ts'
import { readPdfText } from './pdf-text.ts'
import { shrinkPhoto } from './shrink-photo.ts'
import { type TextPart, textAttachment } from './text-attachment.ts'

/** How many files a question can have. */
export const MAX_ATTACHMENTS = 8

/** Most of the models that see images take none that is larger: such a photo is made smaller first. */
const MAX_IMAGE_BYTES = 5_000_000
/** To be made smaller it is unpacked, which takes many times its size. */
const MAX_PHOTO_BYTES = 50_000_000
const MAX_PDF_BYTES = 50_000_000
const MAX_TEXT_FILE_BYTES = 20_000_000

/** Of one attached text; what is longer is cut, and says so. A token is about four of them. */
const MAX_TEXT_CHARACTERS = 100_000

/** Options of `readAttachment`. */
export interface ReadAttachmentOptions {
  readonly signal: AbortSignal
  /** Hears what is being done, in words, where that takes a while. */
  onProgress(words: string): void
}

/**
 * Read a file as a part of a question: an image as it is, the text of a PDF, or a text.
 *
 * Throws `AttachmentError` for what cannot be attached, and the reason of the signal when that aborts.
 */
export async function readAttachment(file: File, options: ReadAttachmentOptions): Promise<UserPart> {
  const kind = fileKind(file)
  if (kind === 'unreadable') throw new AttachmentError(unreadableWords(file.name))
  if (file.size === 0) throw new AttachmentError(`${file.name} is empty.`)
  const read = { image: readImage, pdf: readPdf, text: readText, table: readText }[kind]
  try {
    return await read(file, options)
  } catch (error) {
    if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError'))
      throw new AttachmentError(`${file.name} could not be read: it was moved, changed or is not readable.`)
    throw error
  }
}

async function readImage(file: File, { onProgress }: ReadAttachmentOptions): Promise<FilePart> {
  checkSize(file, { most: MAX_PHOTO_BYTES, noun: 'images', repair: 'Make it smaller and add it again.' })
  const header = readImageHeader(new Uint8Array(await file.arrayBuffer()))
  const bitmap = header === undefined ? header : await createImageBitmap(file).catch(() => undefined)
  if (header === undefined || bitmap === undefined)
    throw new AttachmentError(`${file.name} cannot be shown: it is damaged, or no PNG, JPEG, WebP or GIF.`)
  try {
    if (file.size <= MAX_IMAGE_BYTES) return await imagePart(file, file.name, header.mediaType)
    onProgress('Making it smaller')
    const photo = await shrinkPhoto(bitmap)
    return await imagePart(photo, file.name.replace(/(\.\w+)?$/, '.jpg'), photo.type)
  } finally {
    bitmap.close()
  }
}

async function imagePart(image: Blob, filename: string, mediaType: string): Promise<FilePart> {
  return { type: 'file', mediaType, filename, data: { base64: await base64Of(image) } }
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

async function readPdf(file: File, options: ReadAttachmentOptions): Promise<TextPart> {
  checkSize(file, { most: MAX_PDF_BYTES, noun: 'PDFs', repair: 'Attach a part of it.' })
  const { text, pageCount, readPages } = await readPdfText(file, { ...options, mostCharacters: MAX_TEXT_CHARACTERS })
  if (text === '')
    throw new AttachmentError(`${file.name} has no text in it, only pictures of pages. Attach the pages as images.`)
  const pages = plural(pageCount, 'page')
  const holds =
    readPages < pageCount || text.length === MAX_TEXT_CHARACTERS ? `the first ${readPages} of ${pages}` : pages
  return textAttachment({ name: file.name, mediaType: 'application/pdf', byteLength: file.size, holds, text })
}

async function readText(file: File): Promise<TextPart> {
  checkSize(file, { most: MAX_TEXT_FILE_BYTES, noun: 'texts', repair: 'Attach a part of it.' })
  const bytes = new Uint8Array(await file.arrayBuffer())
  // As with tables: what has a zero in its beginning is no text.
  if (bytes.subarray(0, 4096).includes(0) && !hasByteOrderMark(bytes))
    throw new AttachmentError(unreadableWords(file.name))
  const text = decodeText(bytes, file.name)
  if (text.trim() === '') throw new AttachmentError(`${file.name} is empty.`)
  return textAttachment({
    name: file.name,
    mediaType: textType(file),
    byteLength: file.size,
    ...(text.length > MAX_TEXT_CHARACTERS && {
      holds: `the first ${formatBytes(MAX_TEXT_CHARACTERS)} of ${formatBytes(file.size)}`,
    }),
    text: text.slice(0, MAX_TEXT_CHARACTERS),
  })
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

function textType({ name, type }: File): string {
  return /\.(md|markdown)$/i.test(name) ? 'text/markdown' : type.split(';')[0] || 'text/plain'
}

function checkSize(file: File, limit: { most: number; noun: string; repair: string }): void {
  const { most, noun, repair } = limit
  if (file.size <= most) return
  throw new AttachmentError(
    `${file.name} has ${formatBytes(file.size)}; ${noun} can have up to ${formatBytes(most)}. ${repair}`,
  )
}

function unreadableWords(name: string): string {
  if (/\.(docx?|odt|rtf|pptx?|odp|pages|key)$/i.test(name))
    return `${name} cannot be read here. Save it as a PDF and attach that.`
  if (/\.(heic|heif|tiff?|svg|psd|raw)$/i.test(name))
    return `${name} is a kind of image that models do not take. Save it as PNG or JPEG and attach that.`
  return `${name} cannot be read here. ${FITTING_KINDS}.`
}
