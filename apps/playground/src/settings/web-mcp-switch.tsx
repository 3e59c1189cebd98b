import { webMcpRegistry } from '@turnloop/mcp/web'
import { type ReactElement, useId, useState } from 'react'
import { useObservable } from '../app/observable.ts'
import { Switch } from '../app/switch.tsx'
import { offeredTools } from '../tools/offer-tools.ts'
import checks from './checks-form.module.css'
import styles from './form.module.css'
import { setToolSettings, toolSettings } from './tool-settings.ts'

/** Offer the page's own tools to the agent of the browser; off, with the reason, where the browser has no registry for them. */
export function WebMcpSwitch(): ReactElement {
  const { offersTools } = useObservable(toolSettings)
  const offered = useObservable(offeredTools)
  const [hasRegistry] = useState(() => webMcpRegistry() !== undefined)
  const wordsId = useId()
  return (
    <section className={checks.item} aria-label="WebMCP">
      <Switch
        isOn={hasRegistry && offersTools}
        isDisabled={!hasRegistry}
        onChange={(isOn) => setToolSettings({ offersTools: isOn })}
        describedBy={wordsId}
      >
        For the agent of the browser (WebMCP)
      </Switch>
      <p id={wordsId} className={checks.words}>
        {hasRegistry
          ? 'An agent of the browser, or of an extension, may then use these tools on your tables and notes. Your checks hold for it, too, and saving a file asks you first.'
          : 'This browser has no WebMCP, so there is nothing to offer them to. In Chrome it is behind chrome://flags/#enable-webmcp-testing.'}
      </p>
      {offered.length > 0 && <p className={styles.hint}>Offered now: {offered.join(', ')}</p>}
    </section>
  )
}
