import { type CallView, resultText, type ToolResult } from '@turnloop/core'
import type { ReactElement } from 'react'
import { formatClock, formatDuration } from '../app/format.ts'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { AgentTranscript, type AgentTranscriptProps } from './agent-transcript.tsx'
import { CodeArgument, CodeResult } from './code-detail.tsx'
import { CopyButton } from './copy-button.tsx'
import { RowsTable } from './rows-table.tsx'
import { readCodeAnswer, readQueryAnswer } from './tool-answers.ts'
import styles from './tool-detail.module.css'
import { callInput } from './tool-words.ts'
import { useWholeResult } from './use-whole-result.ts'

interface ToolDetailProps extends Pick<AgentTranscriptProps, 'Line'> {
  call: CallView
}

/** Inside an opened call: the arguments, the result or the error, and when it ran. */
export function ToolDetail({ call, Line }: ToolDetailProps): ReactElement {
  return (
    <div className={styles.detail}>
      <Arguments call={call} />
      <AgentTranscript callId={call.callId} Line={Line} />
      {call.result && <WholeResult result={call.result} />}
      <Facts call={call} />
    </div>
  )
}

function Arguments({ call }: { call: CallView }): ReactElement {
  const input = callInput(call)
  if (call.toolName === 'run_javascript' && typeof input?.code === 'string') return <CodeArgument code={input.code} />
  const names = input === undefined ? [] : Object.keys(input)
  return (
    <section>
      <header className={styles.head}>
        <h3>Arguments</h3>
        <CopyButton label="Copy arguments" text={() => JSON.stringify(input ?? call.inputText, null, 2)} />
      </header>
      {input === undefined && <pre className={styles.text}>{call.inputText || 'none'}</pre>}
      {input !== undefined && names.length === 0 && <p className={styles.none}>none</p>}
      {names.length > 0 && (
        <dl className={styles.pairs}>
          {names.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{showValue(input?.[name])}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** Large results are stored apart from the log: what is not here yet is read, and what is gone is told. */
function WholeResult({ result }: { result: ToolResult }): ReactElement {
  const whole = useWholeResult(result)
  if (whole?.rest === 'reading') return <p className={styles.facts}>Reading the result…</p>
  return (
    <>
      <Result result={whole?.result ?? result} />
      {whole?.rest === 'gone' && <p className={styles.facts}>The rest of it is no longer stored in this browser.</p>}
    </>
  )
}

function Result({ result }: { result: ToolResult }): ReactElement {
  const answer = result.toolName === 'query_table' ? readQueryAnswer(result) : undefined
  const isBad = result.status === 'error'
  if (result.toolName === 'run_javascript' && readCodeAnswer(result) !== undefined)
    return <CodeResult result={result} />
  return (
    <section>
      <header className={styles.head}>
        <h3>{isBad ? 'Error' : 'Result'}</h3>
        <CopyButton label="Copy result" text={() => resultText(result.result)} />
      </header>
      {answer ? (
        <RowsTable name="Rows of the query" columns={answer.columns} rows={answer.rows} />
      ) : (
        <ScrollRegion
          name={isBad ? 'Error' : 'Result'}
          className={[styles.text, isBad && styles.bad].filter(Boolean).join(' ')}
        >
          {resultText(result.result) || JSON.stringify(result.result.structuredContent, null, 2) || 'empty'}
        </ScrollRegion>
      )}
      <Pictures result={result} />
    </section>
  )
}

/** The pictures of a result. They are in it, so nothing is fetched. */
function Pictures({ result: { result, toolName } }: { result: ToolResult }): ReactElement | null {
  const pictures = result.content.flatMap((block) => (block.type === 'image' ? [block] : []))
  if (pictures.length === 0) return null
  return (
    <p className={styles.pictures}>
      {pictures.map(({ data, mimeType }, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes
          key={index}
          src={`data:${mimeType};base64,${data}`}
          alt={`Answer of ${toolName}`}
        />
      ))}
    </p>
  )
}

function Facts({ call }: { call: CallView }): ReactElement | null {
  const startedAt = call.result?.startedAt ?? call.startedAt
  const durationMs = call.result?.durationMs
  const facts = [
    startedAt !== undefined && `started ${formatClock(startedAt)}`,
    durationMs !== undefined && `took ${formatDuration(durationMs)}`,
    call.providerExecuted && 'run by the provider',
  ].filter(Boolean)
  return facts.length === 0 ? null : <p className={styles.facts}>{facts.join(' · ')}</p>
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
