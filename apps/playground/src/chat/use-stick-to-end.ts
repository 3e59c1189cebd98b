import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** As near to the end as this, and on the way down, the reader is there. */
const NEAR_PX = 70

/** Scroll positions are whole pixels, heights are not. */
const EXACT_PX = 2

/** What opens something in the view, and not a menu over it. */
const OPENS = '[aria-expanded="false"]:not([aria-haspopup])'

/** A view that stays at its end only while the reader is there. */
export interface StickToEnd {
  readonly scroll: RefObject<HTMLElement | null>
  /** The reader is at the end, or near it. */
  readonly isAtEnd: boolean
  /** Something changed its height: stay at the end, if the reader is there and selects no text. */
  follow(): void
  /** What comes is not followed any more, until the reader comes back to the end. */
  leave(): void
  /** Go to the end, wherever the reader is, and stay there. */
  toEnd(): void
}

/**
 * Keep a part of the page that scrolls at its end, as long as the reader does. Any step up leaves the end, and so does opening
 * something, which would move away from under the pointer; coming down near it, or `toEnd`, goes back to it.
 */
export function useStickToEnd(): StickToEnd {
  const scroll = useRef<HTMLElement>(null)
  const sticks = useRef(true)
  const isPressed = useIsPressed(scroll)
  const topBefore = useRef(0)
  const [isAtEnd, setAtEnd] = useState(true)
  const follow = useCallback(() => {
    const isSelecting = isPressed.current && document.getSelection()?.isCollapsed === false
    const element = scroll.current
    if (element === null || !sticks.current || isSelecting) return
    element.scrollTop = element.scrollHeight
    topBefore.current = element.scrollTop
  }, [isPressed])
  const toEnd = useCallback(() => {
    sticks.current = true
    setAtEnd(true)
    follow()
  }, [follow])
  const leave = useCallback(() => {
    sticks.current = false
  }, [])
  useEffect(() => {
    const element = scroll.current
    if (element === null) return
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element
      const left = scrollHeight - clientHeight - scrollTop
      if (left <= EXACT_PX || (left <= NEAR_PX && scrollTop > topBefore.current)) sticks.current = true
      else if (scrollTop < topBefore.current) sticks.current = false
      topBefore.current = scrollTop
      setAtEnd(sticks.current || left <= NEAR_PX)
    }
    const open = ({ target }: Event): void => {
      if (target instanceof Element && target.closest(OPENS) !== null) sticks.current = false
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    // Before what is opened has grown.
    element.addEventListener('click', open, { capture: true })
    return () => {
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('click', open, { capture: true })
    }
  }, [])
  const grow = useCallback(() => {
    const element = scroll.current
    follow()
    if (element !== null && !sticks.current)
      setAtEnd(element.scrollHeight - element.clientHeight - element.scrollTop <= NEAR_PX)
  }, [follow])
  useOnResize(scroll, grow)
  return { scroll, isAtEnd, follow, leave, toEnd }
}

/** Whether a pointer that went down in the view is still down, as while text is selected. */
function useIsPressed(scroll: RefObject<HTMLElement | null>): RefObject<boolean> {
  const isPressed = useRef(false)
  useEffect(() => {
    const element = scroll.current
    const press = (): void => {
      isPressed.current = true
    }
    const release = (): void => {
      isPressed.current = false
    }
    element?.addEventListener('pointerdown', press)
    window.addEventListener('pointerup', release)
    window.addEventListener('pointercancel', release)
    return () => {
      element?.removeEventListener('pointerdown', press)
      window.removeEventListener('pointerup', release)
      window.removeEventListener('pointercancel', release)
    }
  }, [scroll])
  return isPressed
}

/** What opens beside the view takes room from it, and what stands in it may grow. */
function useOnResize(scroll: RefObject<HTMLElement | null>, onResize: () => void): void {
  useEffect(() => {
    const element = scroll.current
    if (element === null) return
    const observer = new ResizeObserver(onResize)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [scroll, onResize])
}
