import type { Session, Snapshot } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { onTestFinished, vi } from 'vitest'
import { DATABASE, GATES, REPORTS, type Report } from './tab-agent.ts'

/** Where the driver of a session lives. */
export type Place = 'tab' | 'worker' | 'shared worker'

export const PLACES: readonly Place[] = ['tab', 'worker', 'shared worker']

/** Whether this browser has such a place. */
export function hasPlace(place: Place): boolean {
  return place !== 'shared worker' || typeof SharedWorker === 'function'
}

/** What a tab may be made with: a database of its own, or something that its browser lacks. */
export interface TabOptions {
  readonly name?: string
  readonly without?: 'locks' | 'channel'
}

/** A frame of the same origin: a realm of its own, with locks, channels and databases shared with the others. */
export interface Tab {
  readonly document: Document
  open(sessionId: string): Session
  /** All of it goes at once, as when a person closes a tab. */
  close(): void
}

/** Open a tab, and close it when the test has ended. */
export async function openTab(place: Place, options: TabOptions = {}): Promise<Tab> {
  const frame = document.createElement('iframe')
  Object.assign(frame.dataset, { place, ...options })
  document.body.append(frame)
  onTestFinished(() => frame.remove())
  const inside = frame.contentDocument
  if (inside === null) throw new Error('The frame has no document.')
  const script = inside.createElement('script')
  script.type = 'module'
  script.src = new URL('./tab-frame.ts', import.meta.url).href
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
  })
  inside.body.append(script)
  await loaded
  // The frame's script has put it there.
  const { openInTab } = frame.contentWindow as unknown as { openInTab(id: string): Session }
  return { document: inside, open: openInTab, close: () => frame.remove() }
}

/** Resolves with the first snapshot, this one included, that passes. */
export function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  const look = (): Snapshot | undefined => (passes(session.getSnapshot()) ? session.getSnapshot() : undefined)
  return vi.waitUntil(look, { timeout: 25_000, interval: 10 })
}

/** The text of the reply that grows. */
export function growing({ open }: Snapshot): string {
  return (open?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Counts, outside of every tab and worker, what their models and tools do. */
export interface Counter {
  /** The questions that models were asked, oldest first. */
  readonly asked: readonly string[]
  /** The keys of the calls that were paid. */
  readonly paid: readonly string[]
  /** Questions that were asked while another one was being answered. */
  readonly interleaved: readonly string[]
  /** Have the answer to a question that holds go on, whoever is asked it, now or later. */
  openGate(question: string): void
  /** Whoever was being asked may be gone. */
  forgive(): void
}

/** Count what happens to questions that contain a word, until the test has ended. */
export function countRequests(word: string): Counter {
  const reports = new BroadcastChannel(REPORTS)
  const gates = new BroadcastChannel(GATES)
  const [asked, paid, interleaved]: [string[], string[], string[]] = [[], [], []]
  const open = new Set<string>()
  let answered: string | undefined
  onTestFinished(() => {
    reports.close()
    gates.close()
  })
  reports.addEventListener('message', ({ data }: MessageEvent<Report>) => {
    const { kind, what } = data
    if (kind === 'paid') paid.push(what)
    if (!what.includes(word)) return
    if (kind === 'ended' && answered === what) answered = undefined
    if (kind !== 'asked') return
    if (answered !== undefined) interleaved.push(what)
    answered = what
    asked.push(what)
  })
  gates.addEventListener('message', ({ data }: MessageEvent<{ asksFor: string }>) => {
    if (open.has(data.asksFor)) gates.postMessage(data.asksFor)
  })
  return {
    asked,
    paid,
    interleaved,
    openGate(question) {
      open.add(question)
      gates.postMessage(question)
    },
    forgive() {
      answered = undefined
    },
  }
}

/** Resolves once a question is stored, in the log or in the queue: a tab that is closed before that takes with it what was asked in it. */
export async function untilStored(sessionId: string, question: string): Promise<void> {
  const store = indexedDbStore({ name: DATABASE })
  const isStored = async (): Promise<boolean> => {
    const [log, head] = [await store.read(sessionId), await store.head(sessionId)]
    return JSON.stringify([log, head?.queue ?? []]).includes(question)
  }
  await vi.waitUntil(isStored, { timeout: 25_000, interval: 10 })
}
