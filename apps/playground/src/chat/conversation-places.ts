import type { TurnLog } from '../app/turn-log.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import type { ShownConversation } from './conversation-reader.ts'
import type { TurnBlock } from './turn-blocks.ts'
import { type Versions, versionsOf } from './versions.ts'

/** What the log tells of the questions of a conversation. */
export interface ConversationPlaces {
  /** What the log tells of one question. Costs the same in a long conversation. */
  of(block: TurnBlock): {
    /** The turn that it shows the end of: the last one that has a message in it, or that went on from it. */
    record: TurnRecord | undefined
    versions: Versions | undefined
  }
}

/** Look up questions of a conversation in its log, as both stood at one time. */
export function conversationPlaces(shown: Pick<ShownConversation, 'blockOf'>, log: TurnLog): ConversationPlaces {
  return { of: (block) => ({ record: recordOf(block, shown, log), versions: versionsOf(block.key, log) }) }
}

function recordOf(
  { key, replies }: TurnBlock,
  { blockOf }: Pick<ShownConversation, 'blockOf'>,
  { records, turnOf }: TurnLog,
): TurnRecord | undefined {
  let found: TurnRecord | undefined
  const first = turnOf(key) ?? turnOf(replies.find(({ id }) => turnOf(id) !== undefined)?.id ?? '')
  for (let at = first === undefined ? records.length : first.number - 1; at < records.length; at++) {
    const record = records[at]
    if (record === undefined || record.isSetAside || wasNeverAsked(record)) continue
    // A turn that was compacted on its way has messages on both sides of the summary.
    const shownIn = record.messageIds.findLast((id) => blockOf(id) !== undefined)
    // A turn that was asked again has no question of its own, so it belongs to the block that came before it.
    if (shownIn !== undefined && blockOf(shownIn) !== key) break
    // Of a turn that somebody went back into, neither its end nor what it took is true of what is shown.
    if (record.cutAt === undefined) found = record
  }
  return found
}

/** A turn that was stopped before its question joined the conversation has no place there. */
function wasNeverAsked({ outcome }: TurnRecord): boolean {
  return outcome?.kind === 'cancelled' && outcome.input !== undefined
}
