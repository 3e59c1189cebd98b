import { type ReactNode, useMemo, useState } from 'react'
import { type Change, diffValues } from './diff-values.ts'
import { counted, formatTime } from './format.ts'
import { jsonLine } from './json-text.ts'
import { DetailPane, JsonView } from './json-view.tsx'
import { PickList } from './pick-list.tsx'
import type { Step, Trace } from './trace.ts'

/** The last snapshots, and what changed from one to another. Without a pick it follows the newest. */
export function SnapshotsView({ trace }: { trace: Trace }): ReactNode {
  const { steps } = trace
  const [pickedKey, setPickedKey] = useState<string>()
  const [base, setBase] = useState<Step>()
  const found = steps.findIndex(({ key }) => key === pickedKey)
  const index = found === -1 ? steps.length - 1 : found
  const step = steps[index]
  if (step === undefined) return <p className="empty">No snapshot yet.</p>
  const before = base ?? steps[index - 1]
  return (
    <div className="split view">
      <PickList
        label="Snapshots"
        className="log master"
        count={steps.length}
        keyAt={(at) => steps[at]?.key ?? ''}
        rowAt={(at) => <StepRow step={steps[at]} isBase={base !== undefined && steps[at]?.key === base.key} />}
        selected={index}
        onSelect={(at) => setPickedKey(at === steps.length - 1 ? undefined : steps[at]?.key)}
        follows={found === -1}
      />
      <DetailPane title={`Snapshot ${step.key}`}>
        <StepHead step={step} before={before} base={base} onBase={setBase} />
        {before === undefined ? (
          <p className="quiet">This is the first one that was kept: there is nothing to compare it with.</p>
        ) : (
          <Changes before={before} after={step} />
        )}
        {found !== -1 && <WholeSnapshot step={step} />}
      </DetailPane>
    </div>
  )
}

function StepRow({ step, isBase }: { step: Step | undefined; isBase: boolean }): ReactNode {
  return (
    <span className="entry">
      <span className="number">{step?.key}</span>
      <span className="time">{step && formatTime(step.at)}</span>
      <span className="words">
        {isBase && <span className="tag">base</span>} {step?.label}
      </span>
    </span>
  )
}

interface StepHeadProps {
  step: Step
  before: Step | undefined
  base: Step | undefined
  onBase(base: Step | undefined): void
}

function StepHead({ step, before, base, onBase }: StepHeadProps): ReactNode {
  return (
    <div className="bar">
      <h3>
        Snapshot {step.key}
        {before && <span className="quiet"> against {before.key}</span>}
      </h3>
      {base === undefined ? (
        <button type="button" onClick={() => onBase(step)}>
          Compare others with this
        </button>
      ) : (
        <button type="button" onClick={() => onBase(undefined)}>
          Compare with the one before
        </button>
      )}
    </div>
  )
}

function Changes({ before, after }: { before: Step; after: Step }): ReactNode {
  const { changes, isCut } = useMemo(() => diffValues(before.read(), after.read()), [before, after])
  if (changes.length === 0) return <p className="quiet">Nothing differs.</p>
  return (
    <>
      <p className="quiet">{isCut ? `The first ${changes.length} changes` : counted(changes.length, 'change')}</p>
      <ul className="changes">
        {changes.map((change) => (
          <ChangeRow key={change.path} change={change} />
        ))}
      </ul>
    </>
  )
}

function ChangeRow({ change }: { change: Change }): ReactNode {
  const { path, kind, before, after } = change
  return (
    <li data-kind={kind}>
      <code className="path">{path === '' ? 'all of it' : path}</code> <span className="quiet">{kind}</span>
      {kind !== 'added' && <del>{jsonLine(before, 300)}</del>}
      {kind !== 'removed' && <ins>{jsonLine(after, 300)}</ins>}
    </li>
  )
}

/** Each part is made into text only once it is opened. */
function WholeSnapshot({ step }: { step: Step }): ReactNode {
  const [openKey, setOpenKey] = useState('')
  const snapshot = step.read()
  return (
    <ul className="parts" aria-label="The whole snapshot">
      {Object.entries(snapshot).map(([key, value]) => (
        <li key={key}>
          <button
            type="button"
            className="part"
            aria-expanded={openKey === key}
            onClick={() => setOpenKey(openKey === key ? '' : key)}
          >
            <code>{key}</code> <span className="quiet">{jsonLine(value, 60)}</span>
          </button>
          {openKey === key && <JsonView label={key} value={value} />}
        </li>
      ))}
    </ul>
  )
}
