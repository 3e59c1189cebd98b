import type { PendingRequest } from '@turnloop/core'
import { type FormEvent, type KeyboardEvent, type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useTurn } from '../app/use-turn.ts'
import { offeredAnswers } from './approval-words.ts'
import styles from './request-card.module.css'
import { useDecide } from './use-decide.ts'

/** A question of the assistant's: answers to choose from, a place to write one, and a way to give none. */
export function AnswerForm({ request }: { request: PendingRequest }): ReactElement {
  const { answer, deny } = useTurn(({ answer, deny }) => ({ answer, deny }))
  const [text, setText] = useState('')
  const { isSent, decide } = useDecide()
  const send = (words: string): void => {
    if (words.trim() !== '') decide(() => answer(request.id, words.trim()), 'Answered')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send(text)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send(text)
  }
  const options = offeredAnswers(request)
  return (
    <form className={styles.form} onSubmit={submit}>
      {options.length > 0 && (
        <div className={styles.actions}>
          {options.map((option) => (
            <Button key={option} disabled={isSent} onClick={() => send(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <textarea
        className={styles.input}
        rows={2}
        data-answer
        aria-label="Your answer"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.actions}>
        <Button type="submit" look="primary" disabled={isSent || text.trim() === ''}>
          Answer
        </Button>
        <Button disabled={isSent} onClick={() => decide(() => deny(request.id), 'Not answered')}>
          Do not answer
        </Button>
      </div>
    </form>
  )
}
