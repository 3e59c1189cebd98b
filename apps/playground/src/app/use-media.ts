import { useSyncExternalStore } from 'react'

/** Below this width the conversation stands alone and the panes slide over it. */
const NARROW = '(max-width: 899px)'

/** Whether the window is too narrow for three panes. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, isNarrow)
}

function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches
}

function subscribe(onChange: () => void): () => void {
  const list = window.matchMedia(NARROW)
  list.addEventListener('change', onChange)
  return () => list.removeEventListener('change', onChange)
}
