import type { OverlayAdded } from './entries.ts'
import type { Message } from './messages.ts'

/** What a transcript is derived from: the log's messages and everything that hides or replaces them. */
export interface TranscriptSource {
  readonly messages: readonly LoggedMessage[]
  /** In the order they were added; undone ones are gone. */
  readonly overlays: readonly OverlayAdded[]
  readonly rewinds: readonly Rewind[]
}

/** A message and where it stands in the log. */
export interface LoggedMessage {
  readonly sequence: number
  readonly message: Message
  /** Its turn kept out of history: shown, and part of no later request. */
  readonly detached?: true
  /** Blocked input: shown as blocked, and part of no later request. */
  readonly blocked?: true
}

/** Sequences between `to` and `at`, both left out, are out of the transcript. */
export interface Rewind {
  readonly to: number
  readonly at: number
}

/** A source without anything in it. */
export const EMPTY_SOURCE: TranscriptSource = Object.freeze({ messages: [], overlays: [], rewinds: [] })

/** Whether nothing hides anything, so that a new message simply joins at the end. */
export function isPlain(source: TranscriptSource): boolean {
  return source.overlays.length === 0 && source.rewinds.length === 0
}

/**
 * The messages a person sees: the log's, minus what live overlays hide, with each overlay's `shows` in place of the
 * first thing it hid, minus what a rewind left behind. Source: docs/architecture.md, "Overlays".
 */
export function shownMessages(source: TranscriptSource): readonly Message[] {
  return derive(source, () => true)
}

/** The messages later requests are made of: what is shown, minus detached and blocked ones. */
export function historyMessages(source: TranscriptSource): readonly Message[] {
  return derive(source, (logged) => logged.detached !== true && logged.blocked !== true)
}

function derive(source: TranscriptSource, keep: (logged: LoggedMessage) => boolean): Message[] {
  const result: Message[] = []
  const overlays = source.overlays.filter((overlay) => !isRewound(source, overlay.hides[0]?.[0] ?? 0))
  const placed = new Set<OverlayAdded>()
  for (const logged of source.messages) {
    if (isRewound(source, logged.sequence)) continue
    const hiding = overlays.filter((overlay) => hides(overlay, logged.sequence))
    if (hiding.length === 0) {
      if (keep(logged)) result.push(logged.message)
      continue
    }
    placeShown(hiding, { overlays, placed, result })
  }
  return result
}

/** A later overlay may fold an earlier one in: only the newest that hides a message shows something for it. */
function placeShown(
  hiding: readonly OverlayAdded[],
  into: { overlays: readonly OverlayAdded[]; placed: Set<OverlayAdded>; result: Message[] },
): void {
  const newest = hiding.at(-1)
  if (newest === undefined || into.placed.has(newest)) return
  into.placed.add(newest)
  into.result.push(...newest.shows)
}

function hides(overlay: OverlayAdded, sequence: number): boolean {
  return overlay.hides.some(([from, to]) => sequence >= from && sequence <= to)
}

function isRewound(source: TranscriptSource, sequence: number): boolean {
  return source.rewinds.some((rewind) => sequence > rewind.to && sequence < rewind.at)
}
