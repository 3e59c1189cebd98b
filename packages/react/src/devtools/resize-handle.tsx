import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'

/** Props of `ResizeHandle`. */
export interface ResizeHandleProps {
  dock: 'bottom' | 'right'
  size: number
  onSize(size: number): void
}

const LEAST = 160
const STEP = 32

/** The edge of the panel that makes it larger and smaller, by pointer or arrow keys. */
export function ResizeHandle({ dock, size, onSize }: ResizeHandleProps): ReactNode {
  const isBottom = dock === 'bottom'
  // In the style sheet, too.
  const most = Math.round((isBottom ? window.innerHeight : window.innerWidth) * 0.9)
  const set = (next: number): void => onSize(Math.round(Math.max(LEAST, Math.min(most, next))))
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void =>
    event.currentTarget.setPointerCapture(event.pointerId)
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    set(isBottom ? window.innerHeight - event.clientY : window.innerWidth - event.clientX)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const larger = isBottom ? 'ArrowUp' : 'ArrowLeft'
    const smaller = isBottom ? 'ArrowDown' : 'ArrowRight'
    if (event.key !== larger && event.key !== smaller) return
    event.preventDefault()
    set(size + (event.key === larger ? STEP : -STEP))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved.
    <div
      className="resize"
      role="separator"
      tabIndex={0}
      aria-label="Size of the panel"
      aria-orientation={isBottom ? 'horizontal' : 'vertical'}
      aria-valuemin={LEAST}
      aria-valuemax={most}
      aria-valuenow={Math.min(size, most)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  )
}
