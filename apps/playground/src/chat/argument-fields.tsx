import { type ReactElement, useId } from 'react'
import type { ArgumentField } from './argument-draft.ts'
import styles from './request-card.module.css'

interface ArgumentFieldsProps {
  fields: readonly ArgumentField[]
  /** What is wrong, by field. */
  problems: ReadonlyMap<string, string>
  onChange(changed: ArgumentField): void
}

/** The arguments of a call, each to be read and changed. */
export function ArgumentFields({ fields, problems, onChange }: ArgumentFieldsProps): ReactElement {
  return (
    <>
      {fields.map((field) => (
        <Field key={field.name} field={field} problem={problems.get(field.name)} onChange={onChange} />
      ))}
    </>
  )
}

interface FieldProps {
  field: ArgumentField
  problem: string | undefined
  onChange(changed: ArgumentField): void
}

function Field({ field, problem, onChange }: FieldProps): ReactElement {
  const id = useId()
  return (
    <div className={styles.field} data-kind={field.kind}>
      <label htmlFor={id}>{field.name}</label>
      <Editor id={id} field={field} problem={problem} onChange={onChange} />
      {problem !== undefined && (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function Editor({ id, field, problem, onChange }: FieldProps & { id: string }): ReactElement {
  const { kind, value } = field
  const change = (next: string): void => onChange({ ...field, value: next })
  const said = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-problem` }
  if (kind === 'switch')
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === 'true'}
        onChange={(event) => change(String(event.target.checked))}
      />
    )
  const shared = { id, className: styles.input, value, spellCheck: false, autoComplete: 'off', ...said }
  if (kind === 'json' || value.includes('\n') || value.length > LONG)
    return (
      <textarea
        {...shared}
        data-kind={kind}
        rows={Math.min(MOST_LINES, value.split('\n').length + 1)}
        onChange={(event) => change(event.target.value)}
      />
    )
  return (
    <input
      {...shared}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      onChange={(event) => change(event.target.value)}
    />
  )
}

/** Texts of more characters than this are written on several lines. */
const LONG = 80
const MOST_LINES = 12
