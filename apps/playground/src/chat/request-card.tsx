import type { PendingRequest } from '@turnloop/core'
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef } from 'react'
import { focusComposer } from '../app/composer-focus.ts'
import { AnswerForm } from './answer-form.tsx'
import { ApprovalForm } from './approval-form.tsx'
import { requestWords } from './approval-words.ts'
import { CallState } from './call-state.tsx'
import styles from './request-card.module.css'
import { ToolIcon } from './tool-icon.tsx'
import { useToolOrigin } from './tool-origin.ts'
import { useCardFocus } from './use-card-focus.ts'

/**
 * What a call waits for, in the place where the call will stand: what the assistant wants, with which arguments, and the
 * ways to decide. Escape leaves it as it is and goes to where one writes.
 */
export function RequestCard({ request }: { request: PendingRequest }): ReactElement {
  const card = useRef<HTMLElement>(null)
  const [titleId, detailId] = [useId(), useId()]
  const origin = useToolOrigin(request.toolName)
  const { title, detail } = requestWords(request, origin)
  useCardFocus(card)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    focusComposer()
  }
  return (
    <section
      ref={card}
      className={styles.card}
      tabIndex={-1}
      aria-labelledby={titleId}
      aria-describedby={detailId}
      data-request={request.toolName}
      onKeyDown={onKeyDown}
    >
      <header className={styles.head}>
        <span className={styles.icon}>
          <ToolIcon toolName={request.toolName} />
        </span>
        <span className={styles.tool}>{origin.name}</span>
        <CallState word="waits for you" />
      </header>
      <h3 id={titleId} className={styles.title}>
        {title}
      </h3>
      <p id={detailId} className={styles.detail}>
        {detail}
      </p>
      <Form request={request} />
    </section>
  )
}

function Form({ request }: { request: PendingRequest }): ReactNode {
  return request.ask === 'answer' ? <AnswerForm request={request} /> : <ApprovalForm request={request} />
}
