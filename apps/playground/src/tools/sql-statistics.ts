import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'

/** Add `stddev(x)` and `corr(x, y)` to SQL; SQLite has `median`, but neither of these. */
export function addStatistics(sqlite3: Sqlite3Static, database: Database): void {
  const collected = groupCollector(sqlite3)
  database.createFunction({
    name: 'stddev',
    arity: 1,
    deterministic: true,
    xStep: collected.add,
    xFinal: (context) => standardDeviation(collected.take(context).map(([x = 0]) => x)),
  })
  database.createFunction({
    name: 'corr',
    arity: 2,
    deterministic: true,
    xStep: collected.add,
    xFinal: (context) => correlation(collected.take(context)),
  })
}

/** Keeps the rows of each group that is being aggregated, but for those with a missing value. */
function groupCollector({ capi }: Sqlite3Static): {
  add(context: number, ...values: unknown[]): void
  take(context: number): number[][]
} {
  const groups = new Map<number, number[][]>()
  return {
    add(context, ...values) {
      const numbers = values.filter((value) => typeof value === 'number')
      if (numbers.length < values.length) return
      // The context differs between the steps and the end of a group; the memory SQLite keeps for the group does not.
      const key = capi.sqlite3_aggregate_context(context, 8)
      const group = groups.get(key) ?? []
      groups.set(key, group)
      group.push(numbers)
    },
    take(context) {
      const key = capi.sqlite3_aggregate_context(context, 0)
      const group = groups.get(key) ?? []
      groups.delete(key)
      return group
    },
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Of a sample; `null` for fewer than two values. */
function standardDeviation(values: readonly number[]): number | null {
  if (values.length < 2) return null
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}

/** Pearson's r; `null` when there are fewer than two pairs or one side never changes. */
function correlation(pairs: readonly (readonly number[])[]): number | null {
  const middleX = mean(pairs.map(([x = 0]) => x))
  const middleY = mean(pairs.map(([, y = 0]) => y))
  let both = 0
  let onlyX = 0
  let onlyY = 0
  for (const [x = 0, y = 0] of pairs) {
    both += (x - middleX) * (y - middleY)
    onlyX += (x - middleX) ** 2
    onlyY += (y - middleY) ** 2
  }
  const scale = Math.sqrt(onlyX * onlyY)
  return scale > 0 ? both / scale : null
}
