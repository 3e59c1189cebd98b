import type { PendingRequest } from '@turnloop/core'
import { type FormEvent, type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useTurn } from '../app/use-turn.ts'
import { pageTools } from '../tools/data-tools.ts'
import { type ArgumentField, readFields, toFields } from './argument-draft.ts'
import { ArgumentFields } from './argument-fields.tsx'
import { DenyNote } from './deny-note.tsx'
import styles from './request-card.module.css'
import { useDecide } from './use-decide.ts'

/** The arguments to look over and change, and Allow or Deny. What is allowed is what is shown. */
export function ApprovalForm({ request }: { request: PendingRequest }): ReactElement {
  const { approve, deny } = useTurn(({ approve, deny }) => ({ approve, deny }))
  const asked = request.ask === 'fields' ? askedFields(request.toolName) : NONE
  const [shown] = useState(() => toFields(request.input, asked))
  const [fields, setFields] = useState<readonly ArgumentField[]>(shown)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(NO_PROBLEMS)
  const [isNoting, setNoting] = useState(false)
  const { isSent, decide } = useDecide()
  const change = (changed: ArgumentField): void => {
    setFields(fields.map((field) => (field.name === changed.name ? changed : field)))
    setProblems(NO_PROBLEMS)
  }
  const allow = (event: FormEvent): void => {
    event.preventDefault()
    const read = readFields(fields)
    if (!read.ok) {
      setProblems(read.problems)
      return
    }
    const isAsShown = request.ask === 'approve' && fields.every(({ value }, index) => value === shown[index]?.value)
    decide(() => approve(request.id, isAsShown ? {} : { input: read.input }), `Allowed: ${request.toolName}`)
  }
  const refuse = (note?: string): void => decide(() => deny(request.id, note), `Not allowed: ${request.toolName}`)
  return (
    <form className={styles.form} onSubmit={allow} noValidate>
      <ArgumentFields fields={fields} problems={problems} onChange={change} />
      {isNoting ? (
        <DenyNote isSent={isSent} onDeny={refuse} onBack={() => setNoting(false)} />
      ) : (
        <div className={styles.actions}>
          <Button type="submit" look="primary" disabled={isSent}>
            Allow
          </Button>
          <Button disabled={isSent} onClick={() => refuse()}>
            Deny
          </Button>
          <Button look="quiet" disabled={isSent} onClick={() => setNoting(true)}>
            Deny and say why
          </Button>
        </div>
      )}
    </form>
  )
}

const NONE: readonly string[] = []
const NO_PROBLEMS: ReadonlyMap<string, string> = new Map()

/** The fields that a tool of the page leaves to the person. */
function askedFields(toolName: string): readonly string[] {
  return pageTools.find(({ name }) => name === toolName)?.askUser ?? NONE
}
