import { AttachmentError } from './attachment-error.ts'
import type { PdfReply, PdfRequest, PdfText } from './pdf-protocol.ts'

/** Options of `readPdfText`. */
export interface PdfTextOptions {
  readonly mostCharacters: number
  readonly signal: AbortSignal
  /** Hears how many pages have been read. */
  onProgress(words: string): void
}

/**
 * Read the text of a PDF in a worker of its own.
 *
 * Throws `AttachmentError`, and the reason of the signal when that aborts. The worker ends with the call, whatever happens.
 */
export async function readPdfText(
  file: File,
  { mostCharacters, signal, onProgress }: PdfTextOptions,
): Promise<PdfText> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise<PdfText>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      worker.onmessage = ({ data }: MessageEvent<PdfReply>) => {
        if (data.type === 'progress') onProgress(`Reading page ${data.page} of ${data.pageCount}`)
        else if (data.type === 'done') resolve(data)
        // Any other message is one of PDF.js, which takes every worker for its own.
        else if (data.type === 'failed') reject(new AttachmentError(`${file.name} ${TROUBLE[data.why]}`))
      }
      worker.onerror = (event) => {
        event.preventDefault()
        reject(new AttachmentError(`${file.name} was not read: the part of this page that reads PDFs failed.`))
      }
      const request: PdfRequest = { file, mostCharacters }
      worker.postMessage(request)
    })
  } finally {
    worker.terminate()
  }
}

const TROUBLE = {
  locked: 'is locked with a password. Save a copy without one and attach that.',
  damaged: 'could not be read: it is damaged, or no PDF.',
}
