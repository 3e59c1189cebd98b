import { useEffect } from 'react'
import { focusComposer } from './composer-focus.ts'
import { togglePane } from './panes.ts'
import { useIsNarrow } from './use-is-narrow.ts'
import { isStoppable, useStop } from './use-stop.ts'
import { useTurn } from './use-turn.ts'

/** The keys that work everywhere, apart from that of the command palette: `/` composer, `[` and `]` panes, Escape stop. */
export function useKeys(): void {
  const isNarrow = useIsNarrow()
  const session = useTurn((turn) => turn.session)
  const stop = useStop()
  useEffect(() => {
    const commands: Record<string, () => void> = {
      '/': focusComposer,
      '[': () => togglePane('sessions', isNarrow),
      ']': () => togglePane('inspector', isNarrow),
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || hasModifier(event) || isInDialog(event.target)) return
      // What is drawn is a frame behind: Escape right after Enter means what was just sent.
      const stopIfBusy = session && isStoppable(session.getSnapshot()) ? stop : undefined
      const command = event.key === 'Escape' ? stopIfBusy : isTyping(event.target) ? undefined : commands[event.key]
      if (command === undefined) return
      event.preventDefault()
      command()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isNarrow, session, stop])
}

// Alt and AltGr are how some keyboards write "[" and "]" at all.
function hasModifier(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

// Dialogs, menus and sheets close on Escape themselves; the turn behind them goes on.
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null
}
