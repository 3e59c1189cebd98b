const TOKEN =
  /\s*(?:([[\]{},:])|("(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null))/y

type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end'

/**
 * The line, counted from 1, where a text stops being JSON.
 *
 * Engines do not say: some name a position in words, some a line, some neither. Only for texts that are known to be broken.
 */
export function jsonFaultLine(text: string): number {
  const open: string[] = []
  let expected: Expectation = 'value'
  TOKEN.lastIndex = 0
  for (;;) {
    const start = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    const next: Expectation | undefined = match === null ? undefined : step(match, expected, open)
    if (next === undefined) return lineAfterBlanks(text, start)
    expected = next
    if (open.length === 0) return lineAfterBlanks(text, TOKEN.lastIndex)
  }
}

/** What has to come after a token, or `undefined` if the token must not stand here. Keeps `open` up to date. */
function step(match: RegExpExecArray, expected: Expectation, open: string[]): Expectation | undefined {
  const [, mark, string] = match
  switch (mark) {
    case '[':
    case '{':
      open.push(mark)
      return expected.startsWith('value') ? AFTER_OPENING[mark] : undefined
    case ']':
    case '}':
      return closes(mark, expected, open.pop()) ? ', or end' : undefined
    case ',':
      if (expected !== ', or end') return undefined
      return open.at(-1) === '[' ? 'value' : 'key'
    case ':':
      return expected === ':' ? 'value' : undefined
    default:
      if (expected.startsWith('key')) return string === undefined ? undefined : ':'
      return expected.startsWith('value') ? ', or end' : undefined
  }
}

const AFTER_OPENING = { '[': 'value or ]', '{': 'key or }' } as const

function closes(mark: ']' | '}', expected: Expectation, opened: string | undefined): boolean {
  return opened === (mark === ']' ? '[' : '{') && (expected === ', or end' || expected.endsWith(mark))
}

function lineAfterBlanks(text: string, position: number): number {
  const blanks = /^\s*/.exec(text.slice(position, position + 10_000))?.[0].length ?? 0
  return text.slice(0, position + blanks).split('\n').length
}
