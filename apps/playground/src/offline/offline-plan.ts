/** What of this page is kept for times without a network. Made when the page is built; addresses are paths. */
export interface OfflinePlan {
  /** Another for every build that differs in anything. */
  readonly version: string
  /** Kept before they are needed. */
  readonly files: readonly string[]
  /** Too large for everyone: kept once they were used. */
  readonly later: readonly string[]
}

/** What a request is answered with: the page, a kept file, one that is kept from now on, or whatever the network says. */
export type OfflineRoute = 'page' | 'kept' | 'later' | 'network'

/** Where a request is answered from. Only what this build is made of is touched: models, servers and the proxy are not. */
export function routeOf(
  { files, later }: OfflinePlan,
  { method, url, mode }: Pick<Request, 'method' | 'url' | 'mode'>,
  origin: string,
): OfflineRoute {
  const { origin: asked, pathname } = new URL(url)
  if (method !== 'GET' || asked !== origin) return 'network'
  if (mode === 'navigate') return pathname === '/' || pathname === '/index.html' ? 'page' : 'network'
  if (files.includes(pathname)) return 'kept'
  return later.includes(pathname) ? 'later' : 'network'
}

/** Whether a file's name tells its content, so that one of an earlier build is the same. */
export function isNamedByContent(path: string): boolean {
  return path.startsWith('/assets/')
}
