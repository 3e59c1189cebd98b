import type { ReactElement } from 'react'
import styles from './form.module.css'
import { ServersForm } from './servers-form.tsx'
import { WebMcpSwitch } from './web-mcp-switch.tsx'

/** Tools from elsewhere, and this page's tools for elsewhere. */
export function ToolsForm(): ReactElement {
  return (
    <div className={styles.form}>
      <ServersForm />
      <WebMcpSwitch />
    </div>
  )
}
