import { type Observable, observable } from '../app/observable.ts'

/** A newer version of this page that is kept already and waits for the person. */
export const newVersion: Observable<ServiceWorker | undefined> = observable<ServiceWorker | undefined>(undefined)

/** Long enough that nobody notices, short enough for a page that is never closed. */
const LOOK_EVERY_MS = 60 * 60_000

/**
 * Keep this page for times without a network, and tell in `newVersion` of a newer one.
 *
 * Never rejects: a browser that keeps nothing shows the page as before.
 */
export async function keepOffline(container: ServiceWorkerContainer): Promise<void> {
  try {
    const registration = await container.register('/sw.js')
    follow(registration, container)
  } catch {
    // A private window, a full disk, a browser without service workers: the page needs the network then.
  }
}

function follow(registration: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  // The first version is no news: the page shows it.
  const tell = (): void =>
    newVersion.set(container.controller === null ? undefined : (registration.waiting ?? undefined))
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', tell)
  })
  tell()
  let lookedAt = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' || Date.now() - lookedAt < LOOK_EVERY_MS) return
    lookedAt = Date.now()
    // Offline, there is nothing new.
    registration.update().catch(() => {})
  })
}

/** Have the newer version take over, and show it. */
export function showNewVersion(
  worker: ServiceWorker,
  container: ServiceWorkerContainer = navigator.serviceWorker,
): void {
  container.addEventListener('controllerchange', () => location.reload(), { once: true })
  worker.postMessage('take-over')
}

/** Whether a turn is running in this browser: whoever drives one holds a lock for as long. */
export async function isTurnRunning(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return held.length > 0
}
