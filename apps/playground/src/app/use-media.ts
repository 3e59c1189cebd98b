import { useCallback, useSyncExternalStore } from 'react'

/** Below this width the conversation stands alone and the panes slide over it. */
const NARROW = '(max-width: 899px)'

/** Whether the window is too narrow for three panes. */
export function useIsNarrow(): boolean {
  return useMedia(NARROW)
}

/** Whether a media query holds, now and as it changes. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
