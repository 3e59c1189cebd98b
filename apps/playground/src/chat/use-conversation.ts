import type { Entry } from '@turnloop/core'
import { useMemo } from 'react'
import { useTurn } from '../app/use-turn.ts'
import { useTurnLog } from '../app/use-turn-log.ts'
import { type ConversationPlaces, conversationPlaces } from './conversation-places.ts'
import { ConversationReader, type ShownConversation } from './conversation-reader.ts'

/** One reader for each conversation. By the function that gives its log. */
const readers = new WeakMap<() => readonly Entry[], ConversationReader>()

/** The conversation of the session in the address, cut into its pieces, and what the log tells of them. */
export function useConversation(): { readonly shown: ShownConversation; readonly places: ConversationPlaces } {
  const shown = useTurn((turn) => {
    const reader = readers.get(turn.getEntries) ?? new ConversationReader()
    readers.set(turn.getEntries, reader)
    return reader.read(turn)
  }, Object.is)
  const log = useTurnLog()
  const places = useMemo(() => conversationPlaces(shown, log), [shown, log])
  return { shown, places }
}
