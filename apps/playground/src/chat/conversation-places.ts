import type { TurnRecord } from '../app/turn-records.ts'
import type { TurnBlock } from './turn-blocks.ts'
import { recordsByBlock } from './turn-places.ts'
import { type Versions, versionsOf } from './versions.ts'

/** What the log tells of the questions of a conversation. */
export interface ConversationPlaces {
  /** What the log tells of one question, each part the same object until it changes. */
  of(block: TurnBlock): {
    /** The turn that answered it last. */
    record: TurnRecord | undefined
    versions: Versions | undefined
  }
}

/** Find out, once per log, what is told of each question. */
export function conversationPlaces(blocks: readonly TurnBlock[], records: readonly TurnRecord[]): ConversationPlaces {
  const byBlock = recordsByBlock(blocks, records)
  const versions = versionsOf(records)
  return {
    of: ({ key }) => ({ record: byBlock.get(key), versions: versions.get(key) }),
  }
}
