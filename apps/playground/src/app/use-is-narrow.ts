import { useSyncExternalStore } from 'react'

/** Narrower than this the conversation stands alone and the panes slide over it. */
const NARROW_PX = 900

const listeners = new Set<() => void>()
let isNarrow: boolean | undefined

/** Whether the page is too narrow for three panes. It is not always as wide as the window: the developer tools take room. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, readNarrow)
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange)
  return () => listeners.delete(onChange)
}

/** Measured when it changes, and not by every render, which would have to lay out the page for it. */
function readNarrow(): boolean {
  return isNarrow ?? measure()
}

function measure(): boolean {
  const page = document.getElementById('root') ?? document.documentElement
  new ResizeObserver(() => {
    isNarrow = page.clientWidth < NARROW_PX
    for (const listener of listeners) listener()
  }).observe(page)
  isNarrow = page.clientWidth < NARROW_PX
  return isNarrow
}
