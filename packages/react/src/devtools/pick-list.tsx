import { type KeyboardEvent, type ReactNode, useCallback, useId, useLayoutEffect, useRef, useState } from 'react'

/** The height of every row in px; the style sheet has the same. */
const ROW_HEIGHT = 26

/** Rows beyond the edges, so that a quick scroll shows no gap. */
const BEYOND = 8

/** What a list draws. */
export interface PickListProps {
  label: string
  count: number
  keyAt(index: number): string
  /** Draws one row, on one line; nothing in it can be focused. */
  rowAt(index: number): ReactNode
  /** -1 for none. */
  selected: number
  onSelect(index: number): void
  /** Stays at its end as it grows, until somebody scrolls away from there. */
  follows?: boolean
  className?: string
}

/** A list of any length, of which one row can be picked, with arrow keys too. Only the rows in view are drawn. */
export function PickList(props: PickListProps): ReactNode {
  const { label, count, keyAt, rowAt, selected, onSelect, follows = false, className = '' } = props
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const view = useView(list, follows ? count : -1)
  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - BEYOND)
  const end = Math.min(count, Math.ceil((view.top + view.height) / ROW_HEIGHT) + BEYOND)
  const pick = (index: number): void => {
    const target = Math.max(0, Math.min(count - 1, index))
    onSelect(target)
    if (list.current) bringIntoView(list.current, target)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, { from: selected, count, page: Math.max(1, Math.floor(view.height / ROW_HEIGHT)) })
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    pick(step)
  }
  const isDrawn = selected >= first && selected < end
  return (
    <div
      ref={list}
      className={`list ${className}`}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isDrawn ? `${listId}-${keyAt(selected)}` : undefined}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: count * ROW_HEIGHT }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
          const index = first + offset
          return (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the list has the focus and the keys.
            <div
              key={keyAt(index)}
              id={`${listId}-${keyAt(index)}`}
              className="row"
              role="option"
              aria-selected={index === selected}
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ top: index * ROW_HEIGHT }}
              onClick={() => onSelect(index)}
            >
              {rowAt(index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function stepOf(key: string, { from, count, page }: { from: number; count: number; page: number }): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return from + 1
    case 'ArrowUp':
      return from < 0 ? count - 1 : from - 1
    case 'PageDown':
      return from + page
    case 'PageUp':
      return from - page
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

function bringIntoView(list: HTMLElement, index: number): void {
  const top = index * ROW_HEIGHT
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_HEIGHT - list.clientHeight
}

interface View {
  readonly top: number
  readonly height: number
  onScroll(): void
}

/** Which part of the list is in view. `followed` is the count of a list that stays at its end, or -1. */
function useView(list: { readonly current: HTMLDivElement | null }, followed: number): View {
  const [view, setView] = useState({ top: 0, height: 0 })
  const isAtEnd = useRef(true)
  const followsEnd = useRef(followed >= 0)
  const read = useCallback((): void => {
    const element = list.current
    if (element === null) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = element
    isAtEnd.current = top + height >= scrollHeight - ROW_HEIGHT / 2
    setView((before) => (before.top === top && before.height === height ? before : { top, height }))
  }, [list])
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    const watch = new ResizeObserver(() => {
      if (followsEnd.current && isAtEnd.current) element.scrollTop = element.scrollHeight
      read()
    })
    watch.observe(element)
    read()
    return () => watch.disconnect()
  }, [list, read])
  useLayoutEffect(() => {
    const element = list.current
    followsEnd.current = followed >= 0
    if (element === null || followed < 0 || !isAtEnd.current) return
    element.scrollTop = element.scrollHeight
    read()
  }, [list, followed, read])
  return { ...view, onScroll: read }
}
