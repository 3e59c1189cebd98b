/** What the page asks the worker that reads PDFs: one file, then the worker is done with. */
export interface PdfRequest {
  readonly file: Blob
  /** Pages are read until there is so much text. */
  readonly mostCharacters: number
}

/** The text of a PDF, or of its first pages. */
export interface PdfText {
  readonly text: string
  readonly pageCount: number
  readonly readPages: number
}

/** What the worker answers: progress any number of times, then one of the other two. */
export type PdfReply =
  | { readonly type: 'progress'; readonly page: number; readonly pageCount: number }
  | ({ readonly type: 'done' } & PdfText)
  | { readonly type: 'failed'; readonly why: PdfTrouble }

/** Why a PDF could not be read: it wants a password, or is no whole PDF. */
export type PdfTrouble = 'locked' | 'damaged'
