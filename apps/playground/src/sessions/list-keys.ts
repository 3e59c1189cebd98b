import type { KeyboardEvent } from 'react'

/** Marks the link of each session, for moving between them. */
export const SESSION_LINK = 'data-session'

/** Move the focus through the links of a list by the arrow keys, Home and End; from its search field down into it. */
export function moveInList(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(`[${SESSION_LINK}]`)]
  const at = links.findIndex((link) => link.contains(event.currentTarget.ownerDocument.activeElement))
  const isInSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
  if ((at < 0 && !isInSearch) || event.altKey || event.ctrlKey || event.metaKey) return
  const target = links[placeAfter(event.key, at, isInSearch ? -1 : links.length - 1)]
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}

/** Where a key leads from a place; `last` is -1 where only the way down is the list's. */
function placeAfter(key: string, at: number, last: number): number {
  if (key === 'ArrowDown') return at + 1
  if (last < 0) return -1
  if (key === 'ArrowUp') return at - 1
  if (key === 'End') return last
  return key === 'Home' ? 0 : -1
}

/** Put the focus on the link of a session, once it is drawn. */
export function focusSession(sessionId: string): void {
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`[${SESSION_LINK}="${CSS.escape(sessionId)}"]`)?.focus()
  })
}

/** The session whose link stands beside that of another: the next one, or else the one before. */
export function neighbourOf(sessionId: string): string | undefined {
  const links = [...document.querySelectorAll<HTMLElement>(`[${SESSION_LINK}]`)]
  const at = links.findIndex((link) => link.getAttribute(SESSION_LINK) === sessionId)
  const neighbour = at < 0 ? undefined : (links[at + 1] ?? links[at - 1])
  return neighbour?.getAttribute(SESSION_LINK) ?? undefined
}
