import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../app/button.tsx'
import { usePlayground } from '../app/playground-context.ts'
import styles from './form.module.css'
import servers from './servers-form.module.css'
import { addServer } from './tool-settings.ts'

/** The address of a server, and a button that connects it. What cannot be an address is told under it. */
export function AddServer(): ReactElement {
  const { servers: connected } = usePlayground()
  const [address, setAddress] = useState('')
  const [problem, setProblem] = useState<string>()
  const id = useId()
  const add = (event: FormEvent): void => {
    event.preventDefault()
    const wrong = addServer(address)
    setProblem(wrong)
    if (wrong !== undefined) return
    setAddress('')
    connected.connectIdle()
  }
  return (
    <form className={styles.field} onSubmit={add} noValidate>
      <label htmlFor={id}>Add a server</label>
      <div className={servers.add}>
        <input
          id={id}
          className={styles.input}
          type="url"
          inputMode="url"
          placeholder="https://example.org/mcp"
          value={address}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            setAddress(event.target.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" disabled={address.trim() === ''}>
          Add
        </Button>
      </div>
      <p id={`${id}-hint`} className={problem === undefined ? styles.hint : servers.problem} aria-live="polite">
        {problem ?? 'It has to speak MCP over HTTP and to allow this page (CORS).'}
      </p>
    </form>
  )
}
