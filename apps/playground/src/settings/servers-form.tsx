import { type ReactElement, useEffect, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import { usePlayground } from '../app/playground-context.ts'
import { AddServer } from './add-server.tsx'
import styles from './form.module.css'
import { ServerItem } from './server-item.tsx'
import servers from './servers-form.module.css'
import { toolSettings } from './tool-settings.ts'

/** The MCP servers: which there are, how each stands, when its tools run. */
export function ServersForm(): ReactElement {
  const { servers: connected } = usePlayground()
  const views = useObservable(connected.views)
  const settings = useObservable(toolSettings)
  const titleId = useId()
  // Whoever looks at them wants to know how they stand.
  useEffect(() => connected.connectIdle(), [connected])
  return (
    <section className={styles.form} aria-labelledby={titleId}>
      <div>
        <h3 id={titleId} className={styles.title}>
          MCP servers
        </h3>
        <p className={servers.intro}>
          Their tools run where the server is: what is passed to them leaves this browser, and what they answer is the
          server’s word. A tool asks you first, unless the server says that it only reads.
        </p>
      </div>
      {views.length > 0 && (
        <ul className={servers.list}>
          {views.map((view) => {
            const own = settings.servers.find(({ name }) => name === view.name)
            return own === undefined ? null : <ServerItem key={view.name} view={view} settings={own} />
          })}
        </ul>
      )}
      <AddServer />
    </section>
  )
}
