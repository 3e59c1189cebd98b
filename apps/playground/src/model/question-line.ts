import type { TableColumn, TableInfo } from '../data/table-info.ts'
import { type Mention, markMentions } from './mentions.ts'
import { toWords } from './words.ts'

/**
 * A question as one line that patterns can be matched against, taken apart piece by piece.
 *
 * Every word stands in the form in which words are compared; a column is `#0`, `#1`, …, in the order they are mentioned,
 * the table is `@`, and articles are gone. What a pattern took is gone from the line, so that what is left in the end is
 * what nobody understood.
 */
export class QuestionLine {
  readonly table: TableInfo
  readonly columns: readonly TableColumn[]
  /** How many of its words name the table or a column. */
  readonly coverage: number
  readonly #text: string
  readonly #pieces: readonly Mention[]
  readonly #starts: readonly number[]
  #line: string

  constructor(text: string, table: TableInfo) {
    this.table = table
    this.#text = text
    this.#pieces = markMentions(toWords(text), table).filter((mention) => !/^(a|an|the)$/.test(mention.key))
    const columns: TableColumn[] = []
    const starts: number[] = []
    let line = ''
    for (const piece of this.#pieces) {
      starts.push(line.length)
      line += `${piece.column ? `#${columns.push(piece.column) - 1}` : piece.table ? '@' : piece.key.replaceAll(' ', '_')} `
    }
    this.columns = columns
    this.#starts = starts
    this.#line = line
    this.coverage = this.#pieces.reduce((sum, piece) => sum + coverageOf(piece), 0)
  }

  /** The line as it stands now; what was taken is dots, so that nothing matches across it. */
  get line(): string {
    return this.#line
  }

  /** Find a pattern (with the flag `d`), take it out of the line, and return the match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.#line)
    if (match === null) return undefined
    const { index } = match
    const after = index + match[0].length
    this.#line = this.#line.slice(0, index) + TAKEN.repeat(match[0].length) + this.#line.slice(after)
    return match
  }

  /** Find a pattern again and again, taking each out. */
  takeAll(pattern: RegExp): RegExpExecArray[] {
    const matches: RegExpExecArray[] = []
    for (let match = this.take(pattern); match !== undefined; match = this.take(pattern)) matches.push(match)
    return matches
  }

  /** The column that `#n` in a match stands for. */
  column(mark: string | undefined): TableColumn | undefined {
    return mark === undefined ? undefined : this.columns[Number(mark.replace('#', ''))]
  }

  /** What a group of a match was in the question as it was written. */
  written(match: RegExpExecArray, group: number): string {
    const [from, to] = match.indices?.[group] ?? [0, 0]
    const pieces = this.#pieces.filter((_piece, index) => {
      const start = this.#starts[index] ?? 0
      return start >= from && start < to
    })
    const first = pieces[0]
    const last = pieces.at(-1)
    if (first === undefined || last === undefined) return ''
    return pieces.length === 1 ? first.text : this.#text.slice(first.start, last.end)
  }

  /** The columns that are still in the line, in order. */
  remainingColumns(): TableColumn[] {
    return this.columnPlaces().map(({ column }) => column)
  }

  /** The same with the place in the line where each stands. */
  columnPlaces(): { column: TableColumn; at: number }[] {
    return [...this.#line.matchAll(/#(\d+)/g)].flatMap((match) => {
      const column = this.column(match[1])
      return column === undefined ? [] : [{ column, at: match.index }]
    })
  }

  /** Words still in the line that are neither names nor little words, as they were written. */
  leftOver(): string[] {
    return this.#pieces
      .filter((piece, index) => {
        const start = this.#starts[index] ?? 0
        return (
          this.#line[start] !== TAKEN &&
          piece.column === undefined &&
          piece.table === undefined &&
          !LITTLE.has(piece.key)
        )
      })
      .map((piece) => piece.text)
  }
}

const TAKEN = '·'

function coverageOf(piece: Mention): number {
  if (piece.table !== undefined) return 3
  return piece.column === undefined ? 0 : piece.key.split(' ').length
}

/** Words that say nothing a pattern has to understand. */
const LITTLE: ReadonlySet<string> = new Set(
  (
    'of in on at by for to from is are was were be been and or not with that this it its their them there these those all any some do doe ' +
    'did have has had you your me my i we us our can could would will please show tell give find get calculate compute know want need see ' +
    'what which who how much many when now then also so just only ok okay well here about into per as between among across data table dataset ' +
    'set list day row record entry item describe summary compare value column group each every one out up than most more least different unique distinct overall total'
  ).split(' '),
)
