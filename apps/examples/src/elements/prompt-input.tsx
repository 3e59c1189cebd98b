import { type FormEvent, useState } from 'react'

/** Props of `PromptInput`. */
export interface PromptInputProps {
  status: 'ready' | 'streaming'
  onSubmit(text: string): void
  onStop(): void
}

/** Where a person types; its button sends, or stops what runs. */
export function PromptInput({ status, onSubmit, onStop }: PromptInputProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (status === 'streaming') return onStop()
    if (text.trim() === '') return
    onSubmit(text)
    setText('')
  }
  return (
    <form onSubmit={submit}>
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit">{status === 'streaming' ? 'Stop' : 'Send'}</button>
    </form>
  )
}
