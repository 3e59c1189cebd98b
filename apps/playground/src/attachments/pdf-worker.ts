import { getDocumentProxy } from 'unpdf'
import type { PdfReply, PdfRequest, PdfText } from './pdf-protocol.ts'

// The worker that reads PDFs. What it needs for that is large, and loaded with the first one.
addEventListener('message', ({ data }: MessageEvent<PdfRequest>) => {
  readPdf(data).then(
    (read) => reply({ type: 'done', ...read }),
    (error: unknown) => reply({ type: 'failed', why: isLocked(error) ? 'locked' : 'damaged' }),
  )
})

async function readPdf({ file, mostCharacters }: PdfRequest): Promise<PdfText> {
  // It reports on the console what it mends by itself; here that is nobody's concern.
  const document = await getDocumentProxy(new Uint8Array(await file.arrayBuffer()), { verbosity: 0 })
  const pageCount = document.numPages
  const texts: string[] = []
  let characters = 0
  while (texts.length < pageCount && characters < mostCharacters) {
    const page = await document.getPage(texts.length + 1)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    page.cleanup()
    texts.push(text.trim())
    characters += text.length
    reply({ type: 'progress', page: texts.length, pageCount })
  }
  return { text: texts.join('\n\n').trim().slice(0, mostCharacters), pageCount, readPages: texts.length }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.name === 'PasswordException'
}

function reply(message: PdfReply): void {
  postMessage(message)
}
