import type { Entry } from '@turnloop/core'
import type { TurnRecord } from '../app/turn-records.ts'
import type { TurnBlock } from './turn-blocks.ts'

/** A turn that was stopped before its question joined the conversation has no place there. */
function wasNeverAsked({ outcome }: TurnRecord): boolean {
  return outcome?.kind === 'cancelled' && outcome.input !== undefined
}

/**
 * Which turn each block shows the end of: the last one that has a message in it, or that went on from it.
 *
 * A turn that was asked again has no question of its own, so it belongs to the block that came before it.
 */
export function recordsByBlock(
  blocks: readonly TurnBlock[],
  records: readonly TurnRecord[],
): ReadonlyMap<string, TurnRecord> {
  const blockOfMessage = new Map<string, string>()
  for (const block of blocks) {
    blockOfMessage.set(block.key, block.key)
    for (const reply of block.replies) blockOfMessage.set(reply.id, block.key)
  }
  const byBlock = new Map<string, TurnRecord>()
  let place = blocks[0]?.key
  for (const record of records) {
    if (wasNeverAsked(record) || record.isSetAside) continue
    // A turn that was compacted on its way has messages on both sides of the summary.
    const own = record.messageIds.map((id) => blockOfMessage.get(id)).findLast((key) => key !== undefined)
    place = own ?? place
    // Of a turn that somebody went back into, neither its end nor what it took is true of what is shown.
    if (place !== undefined && record.cutAt === undefined) byBlock.set(place, record)
  }
  return byBlock
}

/** Which turn put each question into the conversation, by the id of its message. */
export function turnsByQuestion(records: readonly TurnRecord[]): ReadonlyMap<string, TurnRecord> {
  const asked = records.filter(({ entries }) => entries.find(isMessage)?.message.role === 'user')
  return new Map(asked.flatMap((record) => record.messageIds.slice(0, 1).map((id) => [id, record])))
}

function isMessage(entry: Entry): entry is Extract<Entry, { type: 'message' }> {
  return entry.type === 'message'
}
