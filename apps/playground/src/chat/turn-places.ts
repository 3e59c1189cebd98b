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
    if (wasNeverAsked(record)) continue
    // A turn that was compacted on its way has messages on both sides of the summary.
    const own = record.messageIds.map((id) => blockOfMessage.get(id)).findLast((key) => key !== undefined)
    place = own ?? place
    if (place !== undefined) byBlock.set(place, record)
  }
  return byBlock
}
