import { lazy, type ReactElement, Suspense } from 'react'
import { offerComposer } from '../app/composer-focus.ts'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { useObservable } from '../app/observable.ts'
import { preferences, setPreferences } from '../app/preferences.ts'
import { useTurn } from '../app/use-turn.ts'

// For the few who ask for it: the page comes without.
const TurnloopDevtools = lazy(async () => ({
  default: (await import('@turnloop/react/devtools')).TurnloopDevtools,
}))

/** The library's own panel for developers, on the session in the address, from the command palette. */
export function DeveloperTools(): ReactElement | null {
  const { developerToolsOpen } = useObservable(preferences)
  return developerToolsOpen ? (
    <ErrorBoundary fallback={null}>
      <Suspense>
        <Panel />
      </Suspense>
    </ErrorBoundary>
  ) : null
}

function Panel(): ReactElement {
  const session = useTurn((turn) => turn.session)
  const change = (isOpen: boolean): void => {
    setPreferences({ developerToolsOpen: isOpen })
    // There is no button that the focus could go back to.
    if (!isOpen) offerComposer()
  }
  return <TurnloopDevtools session={session} initialIsOpen button="none" onOpenChange={change} />
}
