import { type RefObject, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ConversationPart } from './conversation-parts.ts'
import { RowFinder } from './row-finder.ts'

/** The end of a conversation is what one works with: it is always there, as on a page without any of this. */
const LAST = 12

/** As many rows that one did something in stay as they were left. */
const MOST_TOUCHED = 24

/** More is not kept for a selection, or for paper. */
const MOST_AT_ONCE = 200

/** The rows that text is selected in, from one to the other. */
type Selected = readonly [anchor: string, focus: string]

/**
 * Which rows stay on the page wherever one scrolls, by their places: the last ones; those with the focus, or that one has
 * opened, written or pressed something in; those that text is selected in, so that it can be copied; `sought`; and, while the
 * page is printed, as many as go on paper.
 */
export function useKeptRows(
  parts: readonly ConversationPart[],
  scroll: RefObject<HTMLElement | null>,
  sought: string | undefined,
): readonly number[] {
  const touched = useTouchedRows(scroll)
  const selected = useSelectedRows(scroll)
  const isPrinting = useIsPrinting()
  const [finder] = useState(() => new RowFinder())
  return useMemo(() => {
    const last = range(parts.length - (isPrinting ? MOST_AT_ONCE : LAST), parts.length - 1)
    const keys = sought === undefined ? touched : [...touched, sought]
    const single = keys.flatMap((key) => finder.find(parts, key) ?? [])
    const [anchor, focus] = (selected ?? []).map((key) => finder.find(parts, key))
    if (anchor === undefined || focus === undefined) return [...single, ...last]
    const reach = Math.max(Math.min(focus - anchor, MOST_AT_ONCE), -MOST_AT_ONCE)
    return [...single, ...last, ...range(Math.min(anchor, anchor + reach), Math.max(anchor, anchor + reach))]
  }, [parts, touched, selected, sought, isPrinting, finder])
}

function range(from: number, to: number): number[] {
  const first = Math.max(from, 0)
  return Array.from({ length: Math.max(to - first + 1, 0) }, (_, index) => first + index)
}

function useTouchedRows(scroll: RefObject<HTMLElement | null>): readonly string[] {
  const [touched, setTouched] = useState<readonly string[]>([])
  useEffect(() => {
    const element = scroll.current
    const touch = ({ target }: Event): void => {
      const key = rowOf(target)
      if (key === undefined) return
      setTouched((before) =>
        before.at(-1) === key ? before : [...before.filter((other) => other !== key), key].slice(-MOST_TOUCHED),
      )
    }
    element?.addEventListener('focusin', touch)
    element?.addEventListener('pointerdown', touch)
    return () => {
      element?.removeEventListener('focusin', touch)
      element?.removeEventListener('pointerdown', touch)
    }
  }, [scroll])
  return touched
}

function useSelectedRows(scroll: RefObject<HTMLElement | null>): Selected | undefined {
  const [selected, setSelected] = useState<Selected>()
  useEffect(() => {
    const look = (): void => {
      const next = selectedRows(scroll.current)
      setSelected((before) => (before?.[0] === next?.[0] && before?.[1] === next?.[1] ? before : next))
    }
    document.addEventListener('selectionchange', look)
    return () => document.removeEventListener('selectionchange', look)
  }, [scroll])
  return selected
}

/** An end that lies elsewhere on the page counts as the other one. */
function selectedRows(element: HTMLElement | null): Selected | undefined {
  const selection = document.getSelection()
  if (selection === null || selection.isCollapsed) return undefined
  const [anchor, focus] = [selection.anchorNode, selection.focusNode].map((node) =>
    element?.contains(node) ? rowOf(node) : undefined,
  )
  const one = anchor ?? focus
  return one === undefined ? undefined : [one, focus ?? one]
}

function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // What is not there when this returns is not on the paper.
    const begin = (): void => flushSync(() => setPrinting(true))
    const end = (): void => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

function rowOf(target: EventTarget | null): string | undefined {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null
  return element?.closest<HTMLElement>('[data-row]')?.dataset.row
}
