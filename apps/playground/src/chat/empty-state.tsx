import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import Table2 from 'lucide-react/icons/table-2'
import { type ReactElement, useState } from 'react'
import { offerComposer } from '../app/composer-focus.ts'
import { formatCount, plural } from '../app/format.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { SAMPLES, type Sample, type TableInfo } from '../data/tables.ts'
import styles from './empty-state.module.css'
import { type Example, exampleQuestions } from './example-questions.ts'
import { useAsk } from './use-ask.ts'

/** A session before its first question: what this is, and three questions that one click asks. */
export function EmptyState(): ReactElement {
  const data = useData()
  // What one has pressed stays as it is until its answer takes this place.
  const [pressed, setPressed] = useState<readonly TableInfo[]>()
  const tables = pressed ?? data.tables
  const newest = tables.at(-1)
  return (
    <div className={styles.empty}>
      <div>
        <h2 className={styles.title}>Ask your data</h2>
        <p className={styles.lead}>
          {newest
            ? `${newest.label} is loaded: ${formatCount(newest.rowCount)} rows, ${plural(newest.columns.length, 'column')}.`
            : 'An agent that answers from your tables. It runs in this page: no account, no key, no server.'}
        </p>
      </div>
      <Examples
        examples={exampleQuestions(tables)}
        isAsking={pressed !== undefined}
        onAsking={(isAsking) => setPressed(isAsking ? tables : undefined)}
      />
      <OtherData tables={tables} />
    </div>
  )
}

interface ExamplesProps {
  examples: readonly Example[]
  isAsking: boolean
  onAsking(isAsking: boolean): void
}

function Examples({ examples, isAsking, onAsking }: ExamplesProps): ReactElement {
  const { library } = usePlayground()
  const ask = useAsk()
  const run = async ({ question, sampleId }: Example): Promise<void> => {
    onAsking(true)
    try {
      if (sampleId !== undefined) await library.addSample(sampleId)
      ask(question)
      // The button that was pressed is gone in a moment.
      offerComposer()
    } catch {
      // The library says in its snapshot what went wrong, and the notice above the composer shows it.
      onAsking(false)
    }
  }
  return (
    <ul className={styles.examples} aria-label="Examples">
      {examples.map((example) => (
        <li key={example.question}>
          <button type="button" className={styles.example} disabled={isAsking} onClick={() => run(example)}>
            {example.question}
            <ArrowUpRight size={16} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}

function OtherData({ tables }: { tables: readonly TableInfo[] }): ReactElement {
  const missing = SAMPLES.filter(({ label }) => !tables.some((table) => table.label === label))
  const offered = tables.length === 0 ? missing.slice(1) : missing
  return (
    <div className={styles.other}>
      {offered.length > 0 && (
        <>
          <p>{tables.length === 0 ? 'The examples use 406 cars. Other data to begin with:' : 'Other data to add:'}</p>
          <div className={styles.samples}>
            {offered.map((sample) => (
              <SampleButton key={sample.id} sample={sample} />
            ))}
          </div>
        </>
      )}
      <p>Your own: drop a CSV, TSV or JSON file anywhere on this page. It stays in this browser.</p>
    </div>
  )
}

function SampleButton({ sample }: { sample: Sample }): ReactElement {
  const { library } = usePlayground()
  return (
    <button
      type="button"
      className={styles.sample}
      title={sample.description}
      onClick={() => library.addSample(sample.id).catch(shownByTheLibrary)}
    >
      <Table2 size={13} aria-hidden="true" />
      {sample.label}
      <span>{formatCount(sample.rowCount)} rows</span>
    </button>
  )
}

// The library says in its snapshot what went wrong, and the notice above the composer shows it.
function shownByTheLibrary(): void {}
