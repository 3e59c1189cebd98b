import type { ChartWish, Intent, IntentContext } from './intent.ts'
import type { FigureQuery } from './query.ts'
import { QuestionLine } from './question-line.ts'
import { readChartWish, readPlot } from './read-chart.ts'
import { readCommand } from './read-command.ts'
import { type QueryProblem, type ReadQuery, readQuery } from './read-query.ts'
import { findSuperlative } from './read-ranking.ts'

/** Work out what a person wants from what they wrote. Pure: the same words over the same tables mean the same. */
export function readIntent(text: string, context: IntentContext): Intent {
  const command = readCommand(text, context.tables)
  if (command !== undefined) return command
  // Rules that look at every word beside every other are for questions, not for a pasted file.
  if (text.length > LONGEST_QUESTION) return { kind: 'unknown' }
  const { question, wish, isOnlyWish } = readChartWish(text)
  if (isOnlyWish) return { kind: 'chart-last', chart: wish ?? {} }
  const about = readAboutData(question, wish, context)
  if (about !== undefined) return about
  const looksLikeData =
    /\b(average|mean|median|max\w*|min\w*|sum|total|count|how many|top|share|by|chart|plot|describe|compare|correlation)\b/i
  if (context.tables.length === 0 && looksLikeData.test(text)) return { kind: 'no-tables' }
  return { kind: 'unknown' }
}

/** In characters. */
const LONGEST_QUESTION = 500

function readAboutData(text: string, wish: ChartWish | undefined, context: IntentContext): Intent | undefined {
  const question = bestQuestion(text, context)
  if (question === undefined) return undefined
  const followUp = readFollowUp(text, question, wish, context.previous)
  if (followUp !== undefined) return followUp
  // Whatever was read takes words out of the question, so each reading begins with a fresh one.
  const fresh = (): QuestionLine => new QuestionLine(text, question.table)
  const described = readDescribe(text, fresh())
  if (described !== undefined) return described
  const plot = wish === undefined ? undefined : readPlot(fresh(), wish)
  if (plot !== undefined) return plot
  const comparison = /\bcompare\b|\bvs\b|\bversus\b/i.test(text) ? readComparison(fresh()) : undefined
  if (comparison !== undefined && wish === undefined) return comparison
  const read = readQuery(fresh())
  return read === undefined ? aboutTableOnly(question) : toIntent(read, question, wish)
}

function toIntent(
  read: ReadQuery | QueryProblem,
  { table, coverage }: QuestionLine,
  wish: ChartWish | undefined,
): Intent | undefined {
  const isAboutTable = coverage > 0
  if (!('problem' in read)) {
    // An answer to half of a question is worse than saying that the question was not understood.
    if (read.ignored.length > (isAboutTable ? MOST_IGNORED : 0)) return undefined
    return { kind: 'query', query: read.query, ...(wish !== undefined && { chart: wish }), ignored: read.ignored }
  }
  if (read.problem === 'not-a-number') {
    return { kind: 'not-a-number', table, column: read.column, aggregate: read.aggregate }
  }
  return read.words.length > 0 && read.words.length <= MOST_IGNORED
    ? { kind: 'unknown-column', table, words: read.words }
    : undefined
}

const MOST_IGNORED = 3

/** The question seen over the table it names most of; else the table asked about before; else the newest. */
function bestQuestion(text: string, { tables, previous }: IntentContext): QuestionLine | undefined {
  const before = previous?.kind === 'query' ? previous.query.table : undefined
  let best: { question: QuestionLine; score: number } | undefined
  for (const table of tables) {
    const question = new QuestionLine(text, table)
    const score = question.coverage + hints(text, question) + (table === before ? 0.5 : 0)
    if (best === undefined || score >= best.score) best = { question, score }
  }
  return best?.question
}

/** Words that name no column and yet tell which table is meant: "the hottest", "how many days". */
function hints(text: string, question: QuestionLine): number {
  const isAboutDays = /\bdays?\b/i.test(text) && question.table.columns.some(({ name }) => /\b(date|day)\b/i.test(name))
  return (findSuperlative(question) === undefined ? 0 : 1) + (isAboutDays ? 1 : 0)
}

/** "describe the cars", "what is in the weather table", "tell me about horsepower". */
function readDescribe(text: string, question: QuestionLine): Intent | undefined {
  const asks =
    /\b(describe|summari[sz]e|summary of|overview|tell me about|what(?:'s| is) in|explain|columns|fields|schema)\b/i
  if (!asks.test(text)) return undefined
  const { table } = question
  const [column, ...more] = question.remainingColumns()
  const isColumn = column !== undefined && column.name.toLowerCase() !== table.name.toLowerCase()
  if (isColumn && more.length === 0 && !/\b(columns|fields|schema|table)\b/i.test(text)) return undefined
  return { kind: 'describe', table }
}

function aboutTableOnly({ table, line, columns }: QuestionLine): Intent | undefined {
  const isNamed = line.includes('@') && columns.length === 0
  return isNamed && line.trim().split(/\s+/).length <= 3 ? { kind: 'describe', table } : undefined
}

function readComparison(question: QuestionLine): Intent | undefined {
  question.take(/\bcompare\b/d)
  question.take(/\b(?:vs|versus)\b/d)
  const read = readQuery(question, ['average'])
  if (read === undefined || 'problem' in read || read.query.kind !== 'figures') return undefined
  const { query, ignored } = read
  const columns = new Set(query.measures.map((measure) => measure.column))
  if (columns.size < 2) return undefined
  return { kind: 'compare', queries: query.measures.map((measure) => ({ ...query, measures: [measure] })), ignored }
}

/** "and by cylinders?": the question before, grouped otherwise. */
function readFollowUp(
  text: string,
  question: QuestionLine,
  wish: ChartWish | undefined,
  previous: Intent | undefined,
): Intent | undefined {
  if (previous?.kind !== 'query' || previous.query.kind !== 'figures') return undefined
  if (!/^\s*(?:(?:and|now|then|what about|how about|same|the same|instead)\b[\s,]*)*(?:by|per|for each)\b/i.test(text))
    return undefined
  const { table } = previous.query
  const read = readQuery(
    question.table === table ? new QuestionLine(text, question.table) : new QuestionLine(text, table),
  )
  if (read === undefined || 'problem' in read || read.query.kind !== 'figures') return undefined
  const chart = wish ?? previous.chart
  const query: FigureQuery = { ...previous.query, by: read.query.by }
  return { kind: 'query', query, ...(chart !== undefined && { chart }), ignored: read.ignored }
}
