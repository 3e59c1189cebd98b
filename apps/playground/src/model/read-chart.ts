import type { TableColumn } from '../data/table-info.ts'
import type { ChartKind } from '../tools/answers.ts'
import type { ChartWish, Intent } from './intent.ts'
import type { QuestionLine } from './question-line.ts'
import { readConditions } from './read-conditions.ts'

const VERB = '(?:chart|plot|graph|draw|visuali[sz]e)'
const KIND = '(bar|line|scatter|column|dot)'
const NOUN = '(?:chart|plot|graph|diagram)'

/** "…, and chart it", "… as a bar chart", "… in a chart". */
const TAIL = new RegExp(
  String.raw`[\s,;.]*(?:\b(?:and|then|please)\b[\s,]*)*(?:\b${VERB}\s+(?:it|that|this|them|the result|the results)|\b(?:show|draw|make|give)(?:\s+me)?(?:\s+it|\s+that|\s+them)?(?:\s+as|\s+in)?\s+an?\s+(?:${KIND}[\s-]*)?${NOUN}(?:\s+of\s+(?:it|that|this|them))?|\b(?:as|in|with|on)\s+an?\s+(?:${KIND}[\s-]*)?${NOUN}|\b${VERB})(?:\s+(?:as|in|with|on)\s+an?\s+(?:${KIND}[\s-]*)?${NOUN})?(?:\s+(?:please|too|as well|instead))?[\s.!?]*$`,
  'i',
)

/** "plot …", "bar chart of …", "histogram of …". */
const HEAD = new RegExp(
  String.raw`^\s*(?:please\s+|now\s+|can you\s+|could you\s+)*(?:(?:${VERB}|show|make|give)(?:\s+me)?\s+)?(?:(?:an?|the)\s+)?(?:(?:${KIND}[\s-]*)?${NOUN}\s+(?:of|for|with|showing)\s+|(histogram|distribution)\s+(?:of|for)\s+)|^\s*(?:please\s+|now\s+)*${VERB}\s+(?:(?:an?|the)\s+)?(?:(histogram|distribution)\s+of\s+)?`,
  'i',
)

const ONLY = new RegExp(
  String.raw`^\s*(?:please\s+|now\s+|can you\s+|could you\s+|and\s+|make it\s+|show it\s+|show that\s+|try\s+)*(?:${VERB}|as|in|an?\s+${KIND}[\s-]*${NOUN})(?:\s+(?:it|that|this|them|the result|the results|me))*(?:\s*(?:as|in|with)?\s*(?:an?\s+)?(?:${KIND}[\s-]*)?${NOUN})?(?:\s+(?:of|from)\s+(?:it|that|this|them))?(?:\s+(?:please|instead))?[\s.!?]*$`,
  'i',
)

/** Take the wish for a chart out of a question. `isOnlyWish`: nothing else was asked, so it is about the answer before. */
export function readChartWish(text: string): { question: string; wish?: ChartWish; isOnlyWish: boolean } {
  const said = KIND_SAID.exec(text)
  const kind = said === null ? undefined : kindOf(said[1] ?? said[2])
  const wish: ChartWish = kind === undefined ? {} : { kind }
  if (ONLY.test(text)) return { question: '', wish, isOnlyWish: true }
  const withoutTail = text.replace(TAIL, '')
  const question = withoutTail.replace(HEAD, '')
  if (question === text && kind !== 'histogram') return { question: text, isOnlyWish: false }
  return { question, wish, isOnlyWish: question.trim() === '' }
}

const KIND_SAID = new RegExp(String.raw`\b${KIND}[\s-]*${NOUN}\b|\b(histogram|distribution)\b`, 'i')

function kindOf(word: string | undefined): ChartKind | undefined {
  switch (word?.toLowerCase()) {
    case 'bar':
    case 'column':
      return 'bar'
    case 'line':
      return 'line'
    case 'scatter':
    case 'dot':
      return 'scatter'
    case 'histogram':
    case 'distribution':
      return 'histogram'
    default:
      return undefined
  }
}

/** A chart of the rows as they are: two numbers against each other, one over time, or the spread of one. */
export function readPlot(question: QuestionLine, wish: ChartWish): Intent | undefined {
  const words =
    /\b(?:average|avg|mean|median|sum|total|count|how many|number of|share|percentage|top|correlation|max|min|maximum|minimum)\b/
  if (words.test(question.line)) return undefined
  const { table } = question
  const where = readConditions(question)
  const named = question.remainingColumns()
  const numbers = named.filter((column) => column.type === 'number')
  const [first, second] = numbers
  const color = named.find((column) => column.type === 'text' || column.type === 'boolean')
  const withColor = color === undefined ? {} : { color }
  if (first === undefined) return undefined
  if (wish.kind === 'histogram' || isSpread(wish, question, named)) {
    return { kind: 'plot', table, chart: 'histogram', x: first, where, ...withColor }
  }
  if (second !== undefined && wish.kind !== 'bar') {
    const [x, y] = axes(question, first, second)
    return { kind: 'plot', table, chart: wish.kind === 'line' ? 'line' : 'scatter', x, y, where, ...withColor }
  }
  const date = named.find((column) => column.type === 'date') ?? overTime(question)
  const isPlain = date !== undefined && !/\b(?:year|month|quarter|weekday)\b/.test(question.line)
  if (isPlain && wish.kind !== 'bar' && isDaily(date)) {
    return { kind: 'plot', table, chart: 'line', x: date, y: first, where, ...withColor }
  }
  return undefined
}

/** "plot horsepower" alone: its spread says more than its rows in the order they happen to have. */
function isSpread(wish: ChartWish, question: QuestionLine, named: readonly TableColumn[]): boolean {
  return wish.kind === undefined && named.length === 1 && !/\b(?:by|per|over|across|each)\b/.test(question.line)
}

/** "A by B", "A against B", "A over B": B runs across. "A and B": A does. */
function axes(question: QuestionLine, first: TableColumn, second: TableColumn): [x: TableColumn, y: TableColumn] {
  const [a, b] = [first, second].map((column) => question.columns.indexOf(column))
  const isAgainst = new RegExp(`#${a}\\s+(?:by|against|vs|versus|over|per|as function of|depending on)\\s+#${b}\\b`)
  return isAgainst.test(question.line) ? [second, first] : [first, second]
}

function overTime(question: QuestionLine): TableColumn | undefined {
  if (!/\bover (?:time|date|day)\b/.test(question.line)) return undefined
  return question.table.columns.find((column) => column.type === 'date')
}

/** A column called year has many rows per date: its averages are drawn, not its rows. */
function isDaily({ name }: TableColumn): boolean {
  return !/year/i.test(name)
}
