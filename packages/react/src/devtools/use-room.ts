import { type RefObject, useLayoutEffect } from 'react'

const BOTTOM = '--turnloop-devtools-bottom'
const RIGHT = '--turnloop-devtools-right'

/**
 * Tell the page how much of the window the panel takes, so that it can make room: `--turnloop-devtools-bottom` or
 * `--turnloop-devtools-right` of its root element, in px, as long as the panel is open.
 */
export function useRoom(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = panel.current
    if (element === null) return
    const { style } = element.ownerDocument.documentElement
    const measure = (): void => {
      const { left, width, height } = element.getBoundingClientRect()
      // Whatever it was told, in a narrow window it stands at the bottom.
      const isBottom = left <= 0
      style.setProperty(BOTTOM, `${isBottom ? Math.round(height) : 0}px`)
      style.setProperty(RIGHT, `${isBottom ? 0 : Math.round(width)}px`)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty(BOTTOM)
      style.removeProperty(RIGHT)
    }
  }, [panel])
}
