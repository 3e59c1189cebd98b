import type { Message } from './messages.ts'
import {
  derive,
  hides,
  type LoggedOverlay,
  leftBehind,
  liveOverlays,
  liveRewinds,
  ownRanges,
  type SequenceRange,
  type TranscriptSource,
  without,
} from './transcript.ts'

/**
 * The messages a person sees: the log's, minus what live overlays hide, with each overlay's `shows` in place of the
 * first thing it hid, minus what a rewind left behind; where the source says `from`, the last part of that.
 *
 * That part depends on nothing that stands before it, so it can be shown before the rest has been read.
 * Source: docs/architecture.md, "Overlays".
 */
export function shownMessages(source: TranscriptSource): readonly Message[] {
  const { from } = source
  if (from === undefined) return derive(source, () => true).map(({ message }) => message)
  const { first, before } = lookBefore(source, from)
  const messages = source.messages.filter(({ sequence }) => sequence >= from)
  const shown = derive({ ...source, messages }, () => true, new Set([...first, ...before]))
  return [...first.flatMap(({ shows }) => shows), ...shown.map(({ message }) => message)]
}

/** Whether there may be messages before those that are shown. */
export function hasEarlier(source: TranscriptSource): boolean {
  // No log begins with a message: what starts a turn comes before it.
  return source.from !== undefined && lookBefore(source, source.from).seen > 1
}

/**
 * Where to begin so that `count` more messages are shown, and whole turns: `undefined` for at the very beginning, `'unread'`
 * where that cannot be said without what stands before the known messages.
 */
export function startBefore(
  source: TranscriptSource,
  { count, isWhole }: { readonly count: number; readonly isWhole: boolean },
): number | undefined | 'unread' {
  const { from = 0, messages } = source
  const isLeftBehind = leftBehind(source.rewinds)
  const overlays = liveOverlays(source, isLeftBehind)
  const visible = messages.filter(
    ({ sequence }) =>
      sequence < from && !isLeftBehind(sequence) && !overlays.some((overlay) => hides(overlay, sequence)),
  )
  const last = visible.length - Math.max(count, 1)
  const start = visible.findLastIndex(({ message }, at) => at <= last && message.role === 'user' && !message.synthetic)
  if (start > 0) return visible[start]?.sequence
  if (isWhole) return undefined
  return visible[start]?.sequence ?? 'unread'
}

/** What stands before a window: the overlays that show something right before it, those that do further up, and where. */
function lookBefore(
  source: TranscriptSource,
  from: number,
): { readonly first: LoggedOverlay[]; readonly before: LoggedOverlay[]; readonly seen: number } {
  const gone = liveRewinds(source.rewinds).map(({ to, at }): SequenceRange => [to + 1, at - 1])
  const overlays = liveOverlays(source)
  const seen = lastOutside([...gone, ...overlays.flatMap((overlay) => overlay.hides)], from - 1)
  const placed = overlays.flatMap((overlay, index) => {
    const own = ownRanges(overlay, overlays.slice(index + 1))
    const left = gone.reduce((ranges, [start, end]) => ranges.flatMap((range) => without(range, start, end)), own)
    const at = Math.min(...left.map(([start]) => start))
    return at < from ? [{ overlay, at }] : []
  })
  const first = placed.filter(({ at }) => at > seen).sort((a, b) => a.at - b.at)
  const before = placed.filter(({ at }) => at <= seen)
  return { first: first.map(({ overlay }) => overlay), before: before.map(({ overlay }) => overlay), seen }
}

/** The last sequence, up to this one, that lies in none of the ranges. */
function lastOutside(ranges: readonly SequenceRange[], sequence: number): number {
  const range = ranges.find(([start, end]) => start <= sequence && sequence <= end)
  return range === undefined ? sequence : lastOutside(ranges, range[0] - 1)
}
