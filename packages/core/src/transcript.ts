import type { OverlayAdded } from './entries.ts'
import type { Message } from './messages.ts'

/** What a transcript is derived from: the log's messages and everything that hides or replaces them. */
export interface TranscriptSource {
  readonly messages: readonly LoggedMessage[]
  /** In the order they were added, undone ones too: a rewind may bring them back. */
  readonly overlays: readonly LoggedOverlay[]
  readonly undone: readonly UndoneOverlay[]
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

/** An overlay and where it stands in the log. */
export interface LoggedOverlay extends Pick<OverlayAdded, 'id' | 'hides' | 'shows'> {
  readonly at: number
}

/** At sequence `at`, the overlay of this id was taken back. */
export interface UndoneOverlay {
  readonly id: string
  readonly at: number
}

/** What stands between sequences `to` and `at`, both left out, is out of the transcript. */
export interface Rewind {
  readonly to: number
  readonly at: number
}

/** A source without anything in it. */
export const EMPTY_SOURCE: TranscriptSource = Object.freeze({ messages: [], overlays: [], undone: [], rewinds: [] })

/** Whether a message that is added now simply joins at the end: nothing that came before says otherwise. */
export function joinsAtEnd(source: TranscriptSource, sequence: number): boolean {
  return !source.overlays.some((overlay) => hides(overlay, sequence))
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
  const isLeftBehind = leftBehind(source.rewinds)
  const overlays = liveOverlays(source, isLeftBehind)
  const placed = new Set<LoggedOverlay>()
  for (const logged of source.messages) {
    if (isLeftBehind(logged.sequence)) continue
    // A later overlay may fold an earlier one in: only the newest that hides a message shows something for it.
    const hiding = overlays.findLast((overlay) => hides(overlay, logged.sequence))
    if (hiding === undefined) {
      if (keep(logged)) result.push(logged.message)
    } else if (!placed.has(hiding)) {
      placed.add(hiding)
      result.push(...hiding.shows)
    }
  }
  return result
}

/** Which sequences rewinds left behind. A rewind that is itself left behind by a later one no longer counts. */
function leftBehind(rewinds: readonly Rewind[]): (sequence: number) => boolean {
  const live: Rewind[] = []
  const isLeft = (sequence: number): boolean => live.some(({ to, at }) => sequence > to && sequence < at)
  for (const rewind of rewinds.toReversed()) if (!isLeft(rewind.at)) live.push(rewind)
  return isLeft
}

function liveOverlays(source: TranscriptSource, isLeftBehind: (sequence: number) => boolean): LoggedOverlay[] {
  const undone = source.undone.filter(({ at }) => !isLeftBehind(at))
  return source.overlays.filter(({ id, at }) => {
    const isUndone = undone.some((undo) => undo.id === id && undo.at > at)
    return !isUndone && !isLeftBehind(at)
  })
}

function hides(overlay: LoggedOverlay, sequence: number): boolean {
  return overlay.hides.some(([from, to]) => sequence >= from && sequence <= to)
}
