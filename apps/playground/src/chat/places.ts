/** The place of a message in the conversation. */
export function messageAnchor(messageId: string): string {
  return `message-${messageId}`
}

/** The place of a tool call in the conversation. */
export function callAnchor(callId: string): string {
  return `call-${callId}`
}

/** Bring a place of the conversation into view and mark it for a moment. Does nothing if it is not on the page. */
export function showPlace(anchor: string): void {
  const place = document.getElementById(anchor)
  if (place === null) return
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  place.scrollIntoView({ behavior: isCalm ? 'auto' : 'smooth', block: 'center' })
  delete place.dataset.found
  // Reading the width lets the removal take effect, so that the mark can start anew.
  void place.offsetWidth
  place.dataset.found = ''
  place.addEventListener('animationend', () => delete place.dataset.found, { once: true })
}
