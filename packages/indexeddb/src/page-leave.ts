/** Call back in each task in which the page may be about to go; the returned function ends that. Never in a worker. */
export function onPageLeave(listener: () => void): () => void {
  const page = globalThis.document
  if (page === undefined) return () => {}
  const onVisibility = (): void => {
    if (page.visibilityState === 'hidden') listener()
  }
  // A page that is closed while it shows is told by `pagehide` alone in some browsers; one that the system ends in the
  // background, by `visibilitychange` alone.
  page.addEventListener('visibilitychange', onVisibility)
  page.addEventListener('freeze', listener)
  globalThis.addEventListener('pagehide', listener)
  return () => {
    page.removeEventListener('visibilitychange', onVisibility)
    page.removeEventListener('freeze', listener)
    globalThis.removeEventListener('pagehide', listener)
  }
}
