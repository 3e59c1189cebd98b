import { isNamedByContent, type OfflinePlan, type OfflineRoute, routeOf } from './offline-plan.ts'

/** Put here when the page is built; see `offline-page.ts`. */
declare const OFFLINE_PLAN: OfflinePlan

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface RequestEvent extends LastingEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

/** What is used of a service worker's scope. TypeScript's own types of it clash with those of a page. */
declare const self: {
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: LastingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

const PREFIX = 'ask-your-data '
const CURRENT = PREFIX + OFFLINE_PLAN.version
const LATER = 'ask-your-data, once used'
const PAGE = '/'

self.addEventListener('install', (event) => event.waitUntil(keepFiles()))
self.addEventListener('activate', (event) => event.waitUntil(begin()))
self.addEventListener('message', ({ data }) => {
  // Said by the page when a person wants the new version: never by itself, under a page that is at work.
  if (data === 'take-over') void self.skipWaiting()
})
self.addEventListener('fetch', (event) => {
  const route = routeOf(OFFLINE_PLAN, event.request, location.origin)
  if (route !== 'network') event.respondWith(answer(route, event.request))
})

/** All or nothing: a version of which a file is missing is never used. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CURRENT)
  await Promise.all(
    OFFLINE_PLAN.files.map(async (path) => {
      const known = isNamedByContent(path) ? await caches.match(path, { ignoreVary: true }) : undefined
      const response = known ?? (await fetch(path, { cache: isNamedByContent(path) ? 'default' : 'reload' }))
      if (!response.ok) throw new Error(`${path} answered with ${response.status}`)
      await cache.put(path, response)
    }),
  )
}

async function begin(): Promise<void> {
  const versions = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CURRENT)
  // The last one stays: other tabs may still show its page, and load parts of it.
  await Promise.all(versions.slice(0, -1).map((name) => caches.delete(name)))
  const later = await caches.open(LATER)
  const outdated = (await later.keys()).filter(({ url }) => !OFFLINE_PLAN.later.includes(new URL(url).pathname))
  await Promise.all(outdated.map((request) => later.delete(request)))
  await self.clients.claim()
}

async function answer(route: Exclude<OfflineRoute, 'network'>, request: Request): Promise<Response> {
  const known =
    route === 'page'
      ? await (await caches.open(CURRENT)).match(PAGE)
      : await caches.match(request, { ignoreVary: true })
  if (known !== undefined) return known
  const response = await fetch(request)
  if (route === 'later' && response.ok) await (await caches.open(LATER)).put(request, response.clone())
  return response
}
