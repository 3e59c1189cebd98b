/**
 * Call back whenever the page is hidden, frozen or goes away: after that nothing may run any more.
 *
 * The returned function stops that. Where there is no page, nothing is ever called.
 */
export function onPageHide(callback: () => void): () => void {
  const page = globalThis.document
  if (page === undefined) return () => {}
  const hidden = (): void => {
    if (page.visibilityState === 'hidden') callback()
  }
  page.addEventListener('visibilitychange', hidden)
  page.addEventListener('freeze', callback)
  globalThis.addEventListener('pagehide', callback)
  return () => {
    page.removeEventListener('visibilitychange', hidden)
    page.removeEventListener('freeze', callback)
    globalThis.removeEventListener('pagehide', callback)
  }
}
