import { type ReactElement, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import styles from './form.module.css'
import { modelChoice, type RemoteKind, setModelChoice, setRemoteFields } from './model-choice.ts'
import { destination } from './model-kinds.ts'

const ADDRESS_HINT = `The base of the API, usually ending in /v1. The server has to allow requests from this page (CORS).${
  import.meta.env.DEV ? ' The proxy of this dev server, which keeps the key out of the page, is /proxy/v1.' : ''
}`

/** Address, model and key of a model that is not in the page. */
export function RemoteModelFields({ kind }: { kind: RemoteKind }): ReactElement {
  const choice = useObservable(modelChoice)
  const { baseUrl, modelId, apiKey } = choice.remote[kind]
  const isCompatible = kind === 'openai-compatible'
  const host = destination(choice)
  return (
    <div className={styles.fields}>
      {isCompatible && (
        <TextField
          label="Address"
          hint={ADDRESS_HINT}
          value={baseUrl}
          onChange={(value) => setRemoteFields(kind, { baseUrl: value })}
        />
      )}
      <TextField
        label="Model"
        hint={isCompatible ? 'As the server names it, for example qwen3:8b.' : 'As the provider names it.'}
        value={modelId}
        onChange={(value) => setRemoteFields(kind, { modelId: value })}
      />
      <TextField
        label={isCompatible ? 'Key (if the server asks for one)' : 'Key'}
        hint={`The key is sent only to ${host}. It is kept in memory and forgotten with this page.`}
        type="password"
        value={apiKey}
        onChange={(value) => setRemoteFields(kind, { apiKey: value })}
      />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={choice.rememberKeys}
          onChange={(event) => setModelChoice({ rememberKeys: event.target.checked })}
        />
        <span>
          Remember on this device
          <span className={styles.hint}>
            Keys are then stored unencrypted in this browser: anyone who can use it, and every script of this site, can
            read them.
          </span>
        </span>
      </label>
    </div>
  )
}

interface TextFieldProps {
  label: string
  hint: string
  type?: 'text' | 'password'
  value: string
  onChange(value: string): void
}

function TextField({ label, hint, type = 'text', value, onChange }: TextFieldProps): ReactElement {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={styles.input}
        type={type}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
    </div>
  )
}
