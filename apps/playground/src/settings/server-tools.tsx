import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactElement, useId, useState } from 'react'
import { plural } from '../app/format.ts'
import { permissionOf, type ServerTool, type ServerView } from '../tools/server-connection.ts'
import styles from './servers-form.module.css'
import { type Permission, type ServerSettings, setPermission } from './tool-settings.ts'

interface ServerToolsProps {
  view: ServerView
  tools: readonly ServerTool[]
  settings: ServerSettings
}

/** The tools of a server, folded: each with what it does and when it runs. */
export function ServerTools({ view, tools, settings }: ServerToolsProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  const count = (permission: Permission): number =>
    tools.filter((tool) => permissionOf(settings, tool) === permission).length
  const counts = [
    [count('ask'), 'ask first'],
    [count('never'), 'never run'],
  ].flatMap(([many, words]) => (many === 0 ? [] : `${many} ${words}`))
  return (
    <div>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight className={styles.chevron} size={13} aria-hidden="true" />
        {[plural(tools.length, 'tool'), ...counts].join(' · ')}
      </button>
      <div id={listId} hidden={!isOpen}>
        {isOpen && (
          <ul className={styles.tools}>
            {tools.map((tool) => (
              <ToolRow key={tool.toolName} server={view.name} tool={tool} permission={permissionOf(settings, tool)} />
            ))}
            {view.leftOut.map(({ name, reason }) => (
              <li key={`left out ${name}`} className={styles.tool}>
                <span className={styles.toolName}>{name || 'A tool without a name'}</span>
                <span className={styles.about}>Left out: {reason}.</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

function ToolRow({
  server,
  tool,
  permission,
}: {
  server: string
  tool: ServerTool
  permission: Permission
}): ReactElement {
  const id = useId()
  const { name, title, description, readsOnly } = tool
  return (
    <li className={styles.tool}>
      <label htmlFor={id} className={styles.toolName}>
        {name}
        {readsOnly && <span className={styles.reads}> reads only</span>}
      </label>
      <select
        id={id}
        className={styles.permission}
        aria-describedby={`${id}-about`}
        value={permission}
        onChange={({ target }) => setPermission(server, name, toPermission(target.value))}
      >
        <option value="always">Always</option>
        <option value="ask">Ask first</option>
        <option value="never">Never</option>
      </select>
      <span id={`${id}-about`} className={styles.about}>
        {description || title}
      </span>
    </li>
  )
}

function toPermission(value: string): Permission {
  return value === 'always' || value === 'never' ? value : 'ask'
}
