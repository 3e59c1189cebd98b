import type { Intent } from '../src/model/intent.ts'
import type { Condition, Grouping, Query } from '../src/model/query.ts'

/** An intent on one line, so that a table of phrasings can be read. */
export function intentLine(intent: Intent): string {
  switch (intent.kind) {
    case 'describe':
      return `describe ${intent.table.name}`
    case 'query':
      return join([
        queryLine(intent.query),
        intent.chart && `chart ${intent.chart.kind ?? 'any'}`,
        ignored(intent.ignored),
      ])
    case 'compare':
      return join([`compare ${intent.queries.map(queryLine).join(' & ')}`, ignored(intent.ignored)])
    case 'plot':
      return join([
        `plot ${intent.chart} ${intent.table.name} x=${intent.x.name}`,
        intent.y && `y=${intent.y.name}`,
        intent.color && `color=${intent.color.name}`,
        whereLine(intent.where),
      ])
    case 'chart-last':
      return `chart-last ${intent.chart.kind ?? 'any'}`
    case 'calculate':
      return `calculate ${intent.expression}`
    case 'save-note':
      return `save-note ${intent.text ?? '(last answer)'}`
    case 'find-notes':
      return `find-notes ${intent.query ?? '(all)'}`
    case 'slow-count':
      return `slow-count ${intent.to}`
    case 'export':
      return `export ${intent.table.name} as ${intent.fileName}`
    case 'run-code':
      return `run-code ${intent.code}`
    case 'ask-analyst':
      return `ask-analyst ${intent.task}`
    case 'call-tool':
      return `call-tool ${intent.name} ${JSON.stringify(intent.input)}`
    case 'unknown-column':
      return `unknown-column ${intent.table.name}: ${intent.words.join(' ')}`
    case 'not-a-number':
      return `not-a-number ${intent.aggregate} ${intent.column.name}`
    default:
      return intent.kind
  }
}

function queryLine(query: Query): string {
  const { name } = query.table
  if (query.kind === 'rows') {
    const order = query.orderBy && `${query.end === 'max' ? 'most' : 'least'} ${query.orderBy.name}`
    return join([`${query.count} rows of ${name}`, order, whereLine(query.where)])
  }
  if (query.kind === 'correlation') {
    return join([`correlation ${name} ${query.a.name} ${query.b.name}`, byLine(query.by), whereLine(query.where)])
  }
  const measures = query.measures.map(({ aggregate, column }) => (column ? `${aggregate}(${column.name})` : aggregate))
  const { order } = query
  return join([
    `${measures.join(' ')} ${name}`,
    byLine(query.by),
    order && `${order.end} ${order.count ?? 'first'}`,
    whereLine(query.where),
  ])
}

function byLine(by: readonly Grouping[]): string | undefined {
  if (by.length === 0) return undefined
  return `by ${by.map(({ column, bucket }) => (bucket ? `${column.name}/${bucket}` : column.name)).join(', ')}`
}

function whereLine(where: readonly Condition[]): string | undefined {
  if (where.length === 0) return undefined
  const conditions = where.map(({ column, operator, values, year }) =>
    `${column?.name ?? '?'}${year ? '/year' : ''} ${operator} ${values.join('|')}`.trim(),
  )
  return `where ${conditions.join(', ')}`
}

function ignored(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : `ignoring ${words.join(' ')}`
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ')
}
