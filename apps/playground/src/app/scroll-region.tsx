import type { ReactElement, ReactNode, Ref } from 'react'

interface ScrollRegionProps {
  /** What it holds, for people who cannot see it. */
  name: string
  className?: string | undefined
  ref?: Ref<HTMLElement>
  children: ReactNode
}

/** A part of the page that scrolls by itself, also by keyboard. */
export function ScrollRegion({ name, className, ref, children }: ScrollRegionProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its arrow keys would do nothing in some browsers
    <section className={className} aria-label={name} tabIndex={0} ref={ref}>
      {children}
    </section>
  )
}
