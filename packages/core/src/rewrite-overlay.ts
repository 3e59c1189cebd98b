import type { EntryDraft } from './entries.ts'
import type { Message } from './messages.ts'
import { randomId } from './random-id.ts'
import { reconcileHistory } from './reconcile.ts'
import { historyItems, type TranscriptSource } from './transcript.ts'

/** The overlay that shows what a hook makes of a transcript, healed; `undefined` where it changes nothing. */
export function rewriteOverlay(
  source: TranscriptSource,
  rewrite: (messages: readonly Message[]) => readonly Message[],
): (EntryDraft & { readonly type: 'overlay' }) | undefined {
  const items = historyItems(source)
  const before = items.map(({ message }) => message)
  const after = rewrite([...before])
  if (after.length === before.length && after.every((message, index) => message === before[index])) return undefined
  const hides = [...new Set(items.map(({ covers }) => covers))].flat()
  const healed = reconcileHistory(after).messages
  // A conversation begins with what somebody asked: without that, with what was asked last.
  const question = healed[0]?.role === 'user' ? undefined : before.findLast(({ role }) => role === 'user')
  const shows = question === undefined ? healed : [question, ...healed.filter(({ id }) => id !== question.id)]
  return { type: 'overlay', id: randomId(), by: 'rewrite', hides, shows, critical: true }
}
