import type { OverlayAdded } from './entries.ts'
import type { Message } from './messages.ts'

/** What a transcript is derived from: the log's messages and everything that hides or replaces them. */
export interface TranscriptSource {
  readonly messages: readonly LoggedMessage[]
  /** In the order they were added, undone ones too: a rewind may bring them back. */
  readonly overlays: readonly LoggedOverlay[]
  readonly undone: readonly UndoneOverlay[]
  readonly rewinds: readonly Rewind[]
  /** Where what is shown begins: messages before this sequence are left out until they are asked for. Requests have them. */
  readonly from?: number
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
  /** Of a turn that kept out of history, as what it shows does. */
  readonly detached?: true
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
 * Messages that come from outside a log, as a source: their sequences end with 0, so that a log's own come after them.
 */
export function sourceOf(messages: readonly Message[]): TranscriptSource {
  const first = 1 - messages.length
  let logged: readonly LoggedMessage[] | undefined
  const source: TranscriptSource = {
    ...EMPTY_SOURCE,
    // Where they stand is asked for only once an overlay is laid over them.
    get messages() {
      logged ??= messages.map((message, index) => ({ sequence: first + index, message }))
      return logged
    },
  }
  foreign.set(source, messages)
  return source
}

const foreign = new WeakMap<TranscriptSource, readonly Message[]>()

/** All messages of a source, hidden ones too. */
export function allMessages(source: TranscriptSource): readonly Message[] {
  return foreign.get(source) ?? source.messages.map(({ message }) => message)
}

/** A message of the transcript, and what an overlay has to hide so that it goes. */
export interface TranscriptItem {
  readonly message: Message
  /**
   * Ranges for `hides`. A message's own reaches back to just behind the message logged before it, whatever became of
   * that one: so ranges of neighbours meet, and what is between two messages and in neither's range must stay. For a
   * message that an overlay shows: what the overlay hides, minus what a later one hides. The same array for all it shows.
   */
  readonly covers: readonly SequenceRange[]
  /** Of the message, or of the first one that its overlay hides. */
  readonly sequence: number
  readonly isOverlay: boolean
}

/** Sequences, both ends included. */
export type SequenceRange = readonly [from: number, to: number]

/** The messages later requests are made of: what is shown, minus detached and blocked ones. */
export function historyMessages(source: TranscriptSource): readonly Message[] {
  const { overlays, rewinds } = source
  if (overlays.length > 0 || rewinds.length > 0) return historyItems(source).map(({ message }) => message)
  return foreign.get(source) ?? source.messages.filter(isInHistory).map(({ message }) => message)
}

/** As `historyMessages`, each with what has to be hidden to hide it. */
export function historyItems(source: TranscriptSource): readonly TranscriptItem[] {
  return derive(source, isInHistory)
}

function isInHistory(logged: Aside): boolean {
  return logged.detached !== true && logged.blocked !== true
}

type Aside = Pick<LoggedMessage, 'detached' | 'blocked'>

/** The transcript, of what `keep` lets through; without what overlays show that are `placed` already. */
export function derive(
  source: TranscriptSource,
  keep: (logged: Aside) => boolean,
  placed: Set<LoggedOverlay> = new Set(),
): TranscriptItem[] {
  const result: TranscriptItem[] = []
  const isLeftBehind = leftBehind(source.rewinds)
  const overlays = liveOverlays(source, isLeftBehind)
  let before: number | undefined
  for (const logged of source.messages) {
    const { sequence } = logged
    const from = before === undefined ? sequence : before + 1
    before = sequence
    if (isLeftBehind(sequence)) continue
    // A later overlay may fold an earlier one in: only the newest that hides a message shows something for it.
    const index = overlays.findLastIndex((overlay) => hides(overlay, sequence))
    const hiding = overlays[index]
    if (hiding === undefined) {
      if (keep(logged)) {
        result.push({ message: logged.message, covers: [[from, sequence]], sequence, isOverlay: false })
      }
    } else if (!placed.has(hiding)) {
      placed.add(hiding)
      if (!keep(hiding)) continue
      const covers = ownRanges(hiding, overlays.slice(index + 1))
      for (const message of hiding.shows) result.push({ message, covers, sequence, isOverlay: true })
    }
  }
  return result
}

/** What an overlay hides and no later one does: to hide the rest again would take away what those show for it. */
export function ownRanges(overlay: LoggedOverlay, later: readonly LoggedOverlay[]): readonly SequenceRange[] {
  let own = overlay.hides
  for (const [from, to] of later.flatMap(({ hides }) => hides)) own = own.flatMap((range) => without(range, from, to))
  return own
}

/** A range without those from `from` to `to`. */
export function without(range: SequenceRange, from: number, to: number): SequenceRange[] {
  const [start, end] = range
  if (to < start || from > end) return [range]
  const left: SequenceRange[] = [
    [start, from - 1],
    [to + 1, end],
  ]
  return left.filter(([first, last]) => first <= last)
}

/** Which sequences rewinds left behind. */
export function leftBehind(rewinds: readonly Rewind[]): (sequence: number) => boolean {
  const live = liveRewinds(rewinds)
  return (sequence) => live.some(({ to, at }) => sequence > to && sequence < at)
}

/** The rewinds that count: one that is itself left behind by a later one no longer does. */
export function liveRewinds(rewinds: readonly Rewind[]): readonly Rewind[] {
  const live: Rewind[] = []
  for (const rewind of rewinds.toReversed())
    if (!live.some(({ to, at }) => rewind.at > to && rewind.at < at)) live.push(rewind)
  return live
}

/** The overlays that count, oldest first. */
export function liveOverlays(
  source: TranscriptSource,
  isLeftBehind: (sequence: number) => boolean = leftBehind(source.rewinds),
): LoggedOverlay[] {
  const undone = source.undone.filter(({ at }) => !isLeftBehind(at))
  return source.overlays.filter(({ id, at }) => {
    const isUndone = undone.some((undo) => undo.id === id && undo.at > at)
    return !isUndone && !isLeftBehind(at)
  })
}

/** Whether an overlay hides what stands at a sequence. */
export function hides(overlay: LoggedOverlay, sequence: number): boolean {
  return overlay.hides.some(([from, to]) => sequence >= from && sequence <= to)
}

/** The source as it stood just before a sequence. */
export function sourceBefore(source: TranscriptSource, sequence: number): TranscriptSource {
  return {
    messages: source.messages.filter((logged) => logged.sequence < sequence),
    overlays: source.overlays.filter(({ at }) => at < sequence),
    undone: source.undone.filter(({ at }) => at < sequence),
    rewinds: source.rewinds.filter(({ at }) => at < sequence),
  }
}
