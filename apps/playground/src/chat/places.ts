import { type Observable, observable } from '../app/observable.ts'

/** The place of a message in the conversation. */
export function messageAnchor(messageId: string): string {
  return `message-${messageId}`
}

/** The place of a tool call in the conversation. */
export function callAnchor(callId: string): string {
  return `call-${callId}`
}

/** The message or the call that a place is of. */
export function placeOf(anchor: string): { readonly messageId?: string; readonly callId?: string } {
  if (anchor.startsWith('message-')) return { messageId: anchor.slice('message-'.length) }
  return { callId: anchor.slice('call-'.length) }
}

/** The place that somebody wants to see, until it is shown or turns out not to be in the conversation. */
export const soughtPlace: Observable<string | undefined> = observable<string | undefined>(undefined)

/** Bring a place of the conversation into view and mark it for a moment, also where it was not on the page before. */
export function showPlace(anchor: string): void {
  // Told anew also when it is the one that was sought and not found.
  soughtPlace.set(undefined)
  soughtPlace.set(anchor)
}

/** A longer way is not scrolled along. */
const SHORT_WAY = 3

/** As many frames may pass until what is drawn around a place has found its height. */
const MOST_FRAMES = 12

/** Bring something into the middle of the view, and mark it for a moment once it stays there. */
export function reveal(place: HTMLElement): void {
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  const isNear = Math.abs(place.getBoundingClientRect().top) < SHORT_WAY * window.innerHeight
  if (isNear && !isCalm) {
    place.scrollIntoView({ behavior: 'smooth', block: 'center' })
    mark(place)
    return
  }
  let [frames, top] = [0, Number.NaN]
  const settle = (): void => {
    place.scrollIntoView({ behavior: 'instant', block: 'center' })
    const topBefore = top
    top = place.getBoundingClientRect().top
    frames += 1
    if (frames < MOST_FRAMES && Math.abs(top - topBefore) !== 0) requestAnimationFrame(settle)
    else mark(place)
  }
  settle()
}

function mark(place: HTMLElement): void {
  delete place.dataset.found
  // Reading the width lets the removal take effect, so that the mark can start anew.
  void place.offsetWidth
  place.dataset.found = ''
  place.addEventListener('animationend', () => delete place.dataset.found, { once: true })
}
