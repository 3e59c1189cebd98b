import { STYLES } from './styles.ts'

const sheets = new WeakMap<Document, CSSStyleSheet>()

/** The panel's style sheet for a document, made when it is first asked for. */
export function sheetOf(document: Document): CSSStyleSheet {
  const known = sheets.get(document)
  if (known !== undefined) return known
  // A sheet belongs to the window that constructed it: a page may draw into another one.
  const sheet = new (document.defaultView ?? window).CSSStyleSheet()
  sheet.replaceSync(STYLES)
  sheets.set(document, sheet)
  return sheet
}
