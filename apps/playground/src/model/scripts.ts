import { type Message, resultText, type ToolResult } from '@turnloop/core'
import { plainName } from '../data/plain-name.ts'
import type { TableInfo } from '../data/table-info.ts'
import type { ChartAnswer, QueryAnswer } from '../tools/answers.ts'
import { chartCalls, drawPlot, redraw } from './chart-calls.ts'
import { formatNumber } from './format-value.ts'
import type { ChartWish, Intent } from './intent.ts'
import { escapeMarkdown } from './markdown-table.ts'
import { offers, plainWords } from './plain-words.ts'
import type { PlannedCall, Script, Stage } from './plan.ts'
import type { Query } from './query.ts'
import { queryTitle } from './query-labels.ts'
import { querySql } from './query-sql.ts'
import { answerOf, failureText, isOk } from './read-results.ts'
import { exact, once, paragraphs, say, writeWith } from './script-parts.ts'
import { toolScript } from './tool-scripts.ts'
import { earlierResults, lastAnswer } from './turn-so-far.ts'
import { writeComparison, writeQueryAnswer } from './write-figures.ts'
import { writeDescription, writeNotes } from './write-other.ts'

/** What a script may look at besides the wish. */
export interface ScriptContext {
  readonly tables: readonly TableInfo[]
  /** What may be called, by name. */
  readonly tools: ReadonlySet<string>
  /** The conversation before the question. */
  readonly earlier: readonly Message[]
}

const NO_RESULTS: readonly ToolResult[] = []

/** How each wish is carried out. */
export function scriptFor(intent: Intent, context: ScriptContext): Script {
  switch (intent.kind) {
    case 'query':
      return queryScript(intent)
    case 'compare':
      return compareScript(intent)
    case 'describe':
      return once(
        'describe_table',
        { table: intent.table.name },
        {
          thought: `Looking at what is in ${intent.table.label}.`,
          write: (result) => writeWith(answerOf(result, 'describe_table'), writeDescription),
        },
      )
    case 'plot':
      return plotScript(intent)
    case 'chart-last':
      return chartLastScript(intent.chart, context)
    case 'calculate':
      return calculateScript(intent.expression)
    case 'save-note':
      return saveNoteScript(intent.text, context)
    case 'find-notes':
      return once('find_notes', intent.query === undefined ? {} : { query: intent.query }, {
        thought: 'Looking through the notes.',
        write: (result) => writeWith(answerOf(result, 'find_notes'), writeNotes),
      })
    case 'slow-count':
      return once(
        'slow_count',
        { to: intent.to },
        {
          thought: `Counting to ${intent.to}; Stop ends it.`,
          write: (result) =>
            writeWith(answerOf(result, 'slow_count'), ({ countedTo }) => `Counted to **${countedTo}**.`),
        },
      )
    case 'export':
      return exportScript(intent)
    case 'run-code':
    case 'ask-analyst':
    case 'call-tool':
      return toolScript(intent, context.tools)
    case 'ask-me':
      return askMeScript()
    case 'fail':
      return failScript()
    default:
      return say(plainWords(intent, context.tables))
  }
}

function calculateScript(wanted: string): Script {
  return once(
    'calculate',
    { expression: wanted },
    {
      thought: `Working out ${wanted}.`,
      write: (result) =>
        writeWith(
          answerOf(result, 'calculate'),
          ({ expression, value }) => `${escapeMarkdown(expression)} = **${exact(value)}**`,
        ),
    },
  )
}

function queryScript({ query, chart, ignored }: Extract<Intent, { kind: 'query' }>): Script {
  const stages: Stage[] = [queryStage([query])]
  if (chart !== undefined) {
    stages.push({
      thought: 'Drawing what came back.',
      isOptional: true,
      plan: ([[result] = NO_RESULTS]) => {
        const answer = answerOf(result, 'query_table')
        return answer === undefined ? [] : chartCalls(query, answer, chart)
      },
    })
  }
  return {
    stages,
    write: ([[result] = NO_RESULTS, charts = NO_RESULTS]) =>
      writeWith(answerOf(result, 'query_table'), (answer) =>
        paragraphs([
          writeQueryAnswer(query, answer),
          answer.note,
          chart === undefined ? undefined : chartText(charts, answer),
          ignoredText(ignored),
        ]),
      ),
  }
}

function queryStage(queries: readonly Query[]): Stage {
  const [first] = queries
  return {
    thought: `Looking for the ${queries.map(queryTitle).join(' and the ')} in ${first?.table.label ?? 'the data'}.`,
    plan: () => queries.map((query): PlannedCall => ({ toolName: 'query_table', input: { sql: querySql(query) } })),
  }
}

/** What to say about charts that were wanted: nothing where they can be seen, else why they are not there. */
function chartText(charts: readonly ToolResult[], answer: QueryAnswer): string | undefined {
  const failed = charts.find((result) => !isOk(result))
  if (failed !== undefined) return `There is no chart: ${failureText(failed)}`
  if (charts.length === 0 && answer.rows.length > 0) return 'A single figure makes no chart.'
  return undefined
}

function compareScript({ queries, ignored }: Extract<Intent, { kind: 'compare' }>): Script {
  return {
    stages: [queryStage(queries)],
    write: ([results = NO_RESULTS]) => {
      const answers = results.flatMap((result) => answerOf(result, 'query_table') ?? [])
      return paragraphs([writeComparison(queries, answers), ignoredText(ignored)])
    },
  }
}

function plotScript(intent: Extract<Intent, { kind: 'plot' }>): Script {
  const call = drawPlot(intent)
  return once(call.toolName, call.input, {
    thought: `Drawing ${plainName(intent.y ?? intent.x)} of ${intent.table.label}.`,
    write: (result) => writeWith(answerOf(result, 'draw_chart'), plotText),
  })
}

function plotText({ kind, x, y, rowCount, note }: ChartAnswer): string {
  const what = y === undefined ? `how ${x.label} is spread` : `${y.label} by ${x.label}`
  return paragraphs([`The ${chartName(kind)} shows ${escapeMarkdown(what)}, ${formatNumber(rowCount)} rows.`, note])
}

function chartName(kind: ChartAnswer['kind']): string {
  return kind === 'histogram' ? 'histogram' : `${kind} chart`
}

function chartLastScript(wish: ChartWish, { earlier, tables }: ScriptContext): Script {
  const results = earlierResults(earlier)
  const last = results.map((result) => answerOf(result, 'query_table') ?? answerOf(result, 'draw_chart')).find(Boolean)
  if (last === undefined) return say(`There is no answer to draw yet. ${offers(tables)}`)
  const call = redraw(last, wish)
  if (call === undefined)
    return say('The last answer is a single figure: there is nothing to draw. Ask for figures by group.')
  return once(call.toolName, call.input, {
    thought: 'Drawing the last answer.',
    write: (result) =>
      writeWith(answerOf(result, 'draw_chart'), ({ kind, note }) =>
        paragraphs([`Here it is as a ${chartName(kind)}.`, note]),
      ),
  })
}

function saveNoteScript(text: string | undefined, { earlier }: ScriptContext): Script {
  const noted = text ?? firstParagraph(lastAnswer(earlier))
  if (noted === undefined) return say('There is no answer to note yet. Write “note that …” with what to keep.')
  return once(
    'save_note',
    { text: noted },
    {
      thought: 'Keeping a note.',
      write: (result) => writeWith(answerOf(result, 'save_note'), ({ note }) => `Noted: ${escapeMarkdown(note.text)}`),
    },
  )
}

function firstParagraph(text: string | undefined): string | undefined {
  return text
    ?.split('\n\n')[0]
    ?.replace(/\*\*|\\(?=[^\s\w])/g, '')
    .slice(0, 500)
}

function exportScript({ table, fileName }: Extract<Intent, { kind: 'export' }>): Script {
  return once(
    'export_table',
    { table: table.name, fileName },
    {
      thought: `Saving ${table.label} as a file, if that is allowed.`,
      write: (result) =>
        writeWith(
          answerOf(result, 'export_table'),
          (saved) =>
            `Saved ${formatNumber(saved.rowCount)} rows of ${escapeMarkdown(saved.table)} as **${escapeMarkdown(saved.fileName)}**.`,
        ),
    },
  )
}

function askMeScript(): Script {
  return {
    stages: [
      {
        thought: 'Asking, because only you know.',
        plan: () => [{ toolName: 'ask_user', input: { question: 'What shall I keep as a note?' } }],
      },
      {
        thought: 'Keeping the answer as a note.',
        plan: ([[answer] = NO_RESULTS]) => {
          const text = answer === undefined ? '' : resultText(answer.result).trim()
          return text === '' ? [] : [{ toolName: 'save_note', input: { text } }]
        },
      },
    ],
    write: ([, [noted] = NO_RESULTS]) =>
      noted === undefined
        ? 'There was nothing to note.'
        : writeWith(answerOf(noted, 'save_note'), ({ note }) => `Noted: ${escapeMarkdown(note.text)}`),
  }
}

function failScript(): Script {
  const stage: Stage = {
    thought: 'Calling a tool that fails.',
    plan: () => [{ toolName: 'fail_on_purpose', input: {} }],
    isOptional: true,
  }
  return {
    stages: [stage],
    write: ([[result] = NO_RESULTS]) =>
      result === undefined || isOk(result)
        ? 'It did not fail. That is a fault.'
        : `${failureText(result)}\n\nThe conversation goes on as before.`,
  }
}

function ignoredText(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  return `I did not understand ${ignored.map((word) => `“${escapeMarkdown(word)}”`).join(', ')} and left it out.`
}
