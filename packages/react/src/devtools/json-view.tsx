import { type ReactNode, useMemo } from 'react'
import { jsonText } from './json-text.ts'

/** A value as JSON, in a region of its own that scrolls. */
export function JsonView({ label, value }: { label: string; value: unknown }): ReactNode {
  const text = useMemo(() => jsonText(value), [value])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section className="json" tabIndex={0} aria-label={label}>
      {text}
    </section>
  )
}

/** A pane beside a list, or below it where there is no room. */
export function DetailPane({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="detail" aria-label={title}>
      {children}
    </section>
  )
}
