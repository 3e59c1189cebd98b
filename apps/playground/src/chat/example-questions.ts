import { SAMPLES, type SampleId, type TableInfo } from '../data/tables.ts'

/** A question worth asking, and the data set it needs if that is not there yet. */
export interface Example {
  readonly question: string
  readonly sampleId?: SampleId
}

const SHOWN = 3

/** Three questions to begin with: about the newest table, or, without any, about the first data set that ships. */
export function exampleQuestions(tables: readonly TableInfo[]): Example[] {
  const table = tables.at(-1)
  if (table === undefined) {
    const sample = SAMPLES[0]
    return (sample?.examples ?? [])
      .slice(0, SHOWN)
      .map((question) => ({ question, ...(sample && { sampleId: sample.id }) }))
  }
  const sample = SAMPLES.find(({ label }) => table.source === 'sample' && label === table.label)
  const questions = sample?.examples ?? questionsAbout(table)
  return questions.slice(0, SHOWN).map((question) => ({ question }))
}

function questionsAbout(table: TableInfo): string[] {
  const figures = table.columns.find((column) => column.type === 'number')?.name
  const names = table.columns.find((column) => column.type === 'text')?.name
  const questions = [`Describe ${table.label}`]
  if (figures !== undefined && names !== undefined) questions.push(`Average ${figures} by ${names}, and chart it`)
  if (names !== undefined) questions.push(`How many rows by ${names}?`)
  if (figures !== undefined) questions.push(`Top 5 by ${figures}`)
  return questions
}
