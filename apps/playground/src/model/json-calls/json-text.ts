/** Reads the inside of a JSON string as it comes, escapes and all. */
export interface TextReader {
  /** What is new; a character that has not come whole is kept for the next piece. */
  read(piece: string): string
  /** Whether the closing quote has come; what follows it is not read. */
  readonly isClosed: boolean
}

/** Whole characters and escapes. */
const WHOLE = /^(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/

/** Read the text of a JSON string, from behind its opening quote, as far as it has come. */
export function createTextReader(): TextReader {
  let rest = ''
  let half = ''
  let isClosed = false
  return {
    get isClosed() {
      return isClosed
    },
    read(piece) {
      if (isClosed) return ''
      rest += piece
      const whole = WHOLE.exec(rest)?.[0] ?? ''
      rest = rest.slice(whole.length)
      isClosed = rest.startsWith('"')
      const text = half + toText(whole)
      // An escaped emoji is two escapes; one half of it is not a character.
      half = !isClosed && /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
      return half === '' ? text : text.slice(0, -1)
    },
  }
}

const CONTROLS = /\p{Cc}/gu

function toText(text: string): string {
  if (!text.includes('\\')) return text
  // Raw line breaks are no JSON, and yet models write them.
  const strict = text.replace(CONTROLS, (control) => JSON.stringify(control).slice(1, -1))
  try {
    // A string in quotes can only be a string.
    const plain: string = JSON.parse(`"${strict}"`)
    return plain
  } catch {
    return text
  }
}
