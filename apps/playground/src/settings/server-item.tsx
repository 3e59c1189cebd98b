import Check from 'lucide-react/icons/check'
import CircleDashed from 'lucide-react/icons/circle-dashed'
import CircleX from 'lucide-react/icons/circle-x'
import KeyRound from 'lucide-react/icons/key-round'
import Trash2 from 'lucide-react/icons/trash-2'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { IconButton } from '../app/icon-button.tsx'
import { usePlayground } from '../app/playground-context.ts'
import type { ServerView } from '../tools/server-connection.ts'
import { ServerTools } from './server-tools.tsx'
import { type ServerWords, serverWords } from './server-words.ts'
import styles from './servers-form.module.css'
import { removeServer, type ServerSettings } from './tool-settings.ts'

/** One server: its name and address, how it stands and what can be done about it, its tools. */
export function ServerItem({ view, settings }: { view: ServerView; settings: ServerSettings }): ReactElement {
  const words = serverWords(view.state)
  return (
    <li className={styles.server} aria-label={view.name}>
      <header className={styles.head}>
        <div className={styles.names}>
          <h4 className={styles.name}>{view.name}</h4>
          <p className={styles.url}>{view.url}</p>
        </div>
        <IconButton label={`Remove ${view.name}`} onClick={() => removeServer(view.name)}>
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      </header>
      <State words={words} />
      {words.detail && <p className={styles.detail}>{words.detail}</p>}
      <Repair view={view} words={words} />
      {view.tools && view.state.status !== 'failed' && (
        <ServerTools view={view} tools={view.tools} settings={settings} />
      )}
    </li>
  )
}

const ICONS = { good: Check, busy: CircleDashed, warn: KeyRound, bad: CircleX, quiet: CircleDashed } as const

function State({ words: { words, tone } }: { words: ServerWords }): ReactElement {
  const Icon = ICONS[tone]
  return (
    <p className={styles.state} data-tone={tone} role="status">
      <Icon size={13} strokeWidth={2} aria-hidden="true" />
      {words}
    </p>
  )
}

function Repair({ view, words }: { view: ServerView; words: ServerWords }): ReactElement | null {
  const { servers } = usePlayground()
  const [isBlocked, setBlocked] = useState(false)
  const { signInUrl } = view.state
  if (words.action === 'try-again') {
    return (
      <div className={styles.repair}>
        <Button size="small" onClick={() => servers.connect(view.name)}>
          {view.state.status === 'idle' ? 'Connect' : 'Try again'}
        </Button>
      </div>
    )
  }
  if (words.action !== 'sign-in') return null
  return (
    <div className={styles.repair}>
      {/* Why it came to nothing stands in the state. */}
      <Button size="small" look="primary" onClick={() => servers.signIn(view.name).catch(() => setBlocked(true))}>
        Sign in
      </Button>
      {isBlocked && signInUrl !== undefined && (
        <a className={styles.link} href={signInUrl} target="_blank" rel="noopener opener">
          Open the sign-in page
        </a>
      )}
    </div>
  )
}
