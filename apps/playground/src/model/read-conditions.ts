import type { ColumnType, TableColumn } from '../data/table-info.ts'
import type { Condition } from './query.ts'
import type { QuestionLine } from './question-line.ts'

const LEAD = String.raw`(?:\b(?:where|with|whose|having|have|has|had|that|which|if|when|and|for|in|only)\s+)*`
/** Words that begin a condition and nothing else. */
const SAID = String.raw`\b(?:where|with|whose|having|have|has|that|which|if|when|for|only)`
const IS = String.raw`(?:(?:is|are|was|were|be)\s+)?`
const NUMBER = String.raw`(?<![#\d])-?\d[\d,]*(?:\.\d+)?%?`
/** A value in words: not a little word that goes on with the question. */
const STOP = String.raw`(?!(?:and|or|by|per|where|with|whose|having|for|in|from|since|over|is|are|have|has|there|what|which|who|how)\b)`
const WORDS = String.raw`${STOP}[^\s#@·<>=!]+(?:\s+${STOP}[^\s#@·<>=!]+)*`
const VALUE = String.raw`(?:${WORDS}|#\d+|@)`

type Comparisons = readonly (readonly [operator: Condition['operator'], words: string])[]

const COMPARISONS: Comparisons = [
  ['>=', '>=|≥|at least|no less than|not less than|not under|not below'],
  ['<=', '<=|≤|at most|no more than|not more than|not over|not above|up to'],
  ['>', '>|over|above|more than|greater than|higher than|larger than|bigger than|exceed|exceeding'],
  ['<', '<|under|below|less than|fewer than|lower than|smaller than'],
]

/** Take the conditions out of a question: "where origin is Japan", "with more than 6 cylinders", "in 1982", "from Japan". */
export function readConditions(question: QuestionLine): Condition[] {
  return [
    ...missing(question),
    ...truths(question),
    ...between(question, `(?:${SAID})\\s+#(\\d+)\\s+${IS}|#(\\d+)\\s+(?:is|are|was|were)\\s+`),
    ...years(question),
    ...between(question, '#(\\d+)\\s+'),
    ...comparisons(question),
    ...counted(question),
    ...equalities(question),
    ...plainValues(question),
  ]
}

function missing(question: QuestionLine): Condition[] {
  const pattern = new RegExp(`${LEAD}#(\\d+)\\s+(?:is|are)\\s+(not\\s+)?(missing|unknown|empty|known|present)\\b`, 'd')
  return question.takeAll(pattern).flatMap((match) => {
    const isMissing = /missing|unknown|empty/.test(match[3] ?? '') === (match[2] === undefined)
    return withColumn(question, match[1], { operator: isMissing ? 'missing' : 'present', values: [] })
  })
}

/** "total rain between 2012 and 2013" is about years, "where weight is between 2,000 and 2,100" is not. */
function between(question: QuestionLine, subject: string): Condition[] {
  const pattern = new RegExp(`(?:${subject})(?:between|from)\\s+(${NUMBER})\\s+(?:and|to)\\s+(${NUMBER})`, 'd')
  return question.takeAll(pattern).flatMap((match) => {
    const [low, high] = match.slice(-2)
    const mark = match.slice(1, -2).find((found) => found !== undefined)
    return [
      ...withColumn(question, mark, { operator: '>=', values: [toNumber(low)] }),
      ...withColumn(question, mark, { operator: '<=', values: [toNumber(high)] }),
    ]
  })
}

const EQUALS: Comparisons = [
  ['!=', 'is not|are not|not|!=|<>'],
  ['=', 'is|are|was|==|=|equal to|equal'],
]

function comparisons(question: QuestionLine): Condition[] {
  return [...COMPARISONS, ...EQUALS].flatMap(([operator, words]) => {
    const pattern = new RegExp(`${LEAD}#(\\d+)\\s+${IS}(?:of\\s+)?(?:${words})\\s+(${NUMBER})(?!\\S)`, 'd')
    return question
      .takeAll(pattern)
      .flatMap((match) => withColumn(question, match[1], { operator, values: [toNumber(match[2])] }))
  })
}

/** "with 8 cylinders", "more than 6 cylinders", "8 cylinder cars". */
function counted(question: QuestionLine): Condition[] {
  const found = COMPARISONS.flatMap(([operator, words]) => {
    const pattern = new RegExp(`${LEAD}(?:${words})\\s+(${NUMBER})\\s+#(\\d+)`, 'd')
    return question
      .takeAll(pattern)
      .flatMap((match) => withColumn(question, match[2], { operator, values: [toNumber(match[1])] }))
  })
  const exact = new RegExp(
    `\\b(?:with|have|has|having|had)\\s+(${NUMBER})\\s+#(\\d+)|(${NUMBER})\\s+#(\\d+)(?=\\s+@)`,
    'd',
  )
  const equal = question.takeAll(exact).flatMap((match) => {
    const values = [toNumber(match[1] ?? match[3])]
    return withColumn(question, match[2] ?? match[4], { operator: '=', values })
  })
  return [...found, ...equal]
}

/** "in 1982", "since 1975", "between 2012 and 2014": about the date, or about a number column called year. */
function years(question: QuestionLine): Condition[] {
  const column = yearColumn(question)
  if (column === undefined) return []
  const condition = (operator: Condition['operator'], year: string | undefined): Condition =>
    onColumn(column, { operator, values: [Number(year)] })
  // The column may be named beside its year; any other column there is what is asked about.
  const named = [
    'year',
    ...question.columns.flatMap((other, index) => (other === column ? [`#${index}\\b`] : [])),
  ].join('|')
  const year = '(1[5-9]\\d\\d|20\\d\\d|21\\d\\d)(?!\\S)'
  const range = new RegExp(`\\b(?:between|from)\\s+(?:year\\s+)?${year}\\s+(?:and|to|until)\\s+${year}`, 'd')
  const single = new RegExp(
    `${LEAD}(?:(?:${named})\\s+)?(?:is\\s+)?(?:(in|during|of|since|after|before|until|is|=|>=|<=|>|<)\\s+)(?:year\\s+)?${year}`,
    'd',
  )
  return [
    ...question.takeAll(range).flatMap((match) => [condition('>=', match[1]), condition('<=', match[2])]),
    ...question.takeAll(single).map((match) => condition(YEAR_OPERATORS[match[1] ?? ''] ?? '=', match[2])),
  ]
}

const YEAR_OPERATORS: Readonly<Record<string, Condition['operator']>> = {
  since: '>=',
  after: '>',
  before: '<',
  until: '<=',
  '>=': '>=',
  '<=': '<=',
  '>': '>',
  '<': '<',
}

function yearColumn({ table }: QuestionLine): TableColumn | undefined {
  const date = table.columns.find((column) => column.type === 'date')
  return date ?? table.columns.find((column) => column.type === 'number' && /year/i.test(column.name))
}

/** "which are paid", "not paid": a column of truth values needs no value beside it. */
function truths(question: QuestionLine): Condition[] {
  const marks = marksOf(question, ['boolean'])
  if (marks === undefined) return []
  const pattern = new RegExp(
    `${LEAD}\\b(?:is|are|was|were)\\s+(not\\s+)?#(${marks})\\b(?!\\s+(?:is|are|=|not)\\b)`,
    'd',
  )
  return question.takeAll(pattern).flatMap((match) => {
    const value = match[1] === undefined ? 'true' : 'false'
    return withColumn(question, match[2], { operator: '=', values: [value] })
  })
}

/** Only of columns that hold words: a number or a date is compared with one. */
function equalities(question: QuestionLine): Condition[] {
  const marks = marksOf(question, ['text', 'boolean'])
  if (marks === undefined) return []
  const tests = '(is not|are not|not|!=|is|are|==|=|equal to|equal|contain|containing|include|including|like)'
  const values = `(${VALUE}(?:\\s+or\\s+${VALUE})*)`
  // "horsepower of cars" is no condition, "with an origin of Japan" is.
  const patterns = [
    new RegExp(`${LEAD}#(${marks})\\s+${tests}\\s+${values}`, 'd'),
    new RegExp(`(?:${SAID})\\s+#(${marks})\\s+(of)\\s+${values}`, 'd'),
  ]
  return patterns.flatMap((pattern) =>
    question.takeAll(pattern).flatMap((match) => {
      const found = { operator: operatorOf(match[2]), values: valuesOf(question.written(match, 3)) }
      return withColumn(question, match[1], found)
    }),
  )
}

/** The places of the columns of some types, as an alternative for a pattern. */
function marksOf({ columns }: QuestionLine, types: readonly ColumnType[]): string | undefined {
  const places = columns.flatMap((column, index) => (types.includes(column.type) ? [index] : []))
  return places.length === 0 ? undefined : places.join('|')
}

function operatorOf(test: string | undefined): Condition['operator'] {
  if (test === undefined) return '='
  if (/not|!=/.test(test)) return '!='
  return /contain|includ|like/.test(test) ? 'contains' : '='
}

/** "from Japan": some text column has that value; which one, the data will tell. */
function plainValues(question: QuestionLine): Condition[] {
  const pattern = new RegExp(
    String.raw`\b(?:made in|built in|from|in|for|only)\s+(?!${EMPTY}\b)(${WORDS}(?:\s+or\s+${WORDS})*)`,
    'd',
  )
  return question.takeAll(pattern).map((match) => ({ operator: '=', values: valuesOf(question.written(match, 1)) }))
}

const EMPTY =
  '(?:total|general|detail|each|every|all|any|this|that|it|them|me|average|more|less|order|data|table|row|year|month|day|time|it|you)'

function valuesOf(written: string): (string | number)[] {
  return written.split(/\s+or\s+/i).map((value) => {
    const text = value.replace(/^(the|an?)\s+/i, '').replace(/^["'“]|["'”]$/g, '')
    return new RegExp(`^${NUMBER}$`).test(text) ? toNumber(text) : text
  })
}

type Test = Pick<Condition, 'operator' | 'values'>

function withColumn(question: QuestionLine, mark: string | undefined, test: Test): Condition[] {
  const column = question.column(mark)
  return column === undefined ? [] : [onColumn(column, test)]
}

/** A year said of a date is compared with its year. */
function onColumn(column: TableColumn, test: Test): Condition {
  const areYears = test.values.length > 0 && test.values.every((value) => typeof value === 'number' && value < 3000)
  return { column, ...test, ...(column.type === 'date' && areYears && { year: true as const }) }
}

function toNumber(text: string | undefined): number {
  return Number((text ?? '').replace(/[,%]/g, ''))
}
