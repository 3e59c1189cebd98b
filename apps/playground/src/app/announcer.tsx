import type { ReactElement } from 'react'
import { observable, useObservable } from './observable.ts'

const spoken = observable({ text: '', count: 0 })

/** Say something to people who listen to the page. The same words twice are said twice. */
export function announce(text: string): void {
  spoken.set({ text, count: spoken.get().count + 1 })
}

/** The one live region of the page. */
export function Announcer(): ReactElement {
  const { text, count } = useObservable(spoken)
  // A new key makes a new node, so that words which repeat are announced again.
  return (
    <div className="unseen" role="status" aria-live="polite">
      <span key={count}>{text}</span>
    </div>
  )
}
