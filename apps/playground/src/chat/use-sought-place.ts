import type { Snapshot } from '@turnloop/core'
import { useEffect, useMemo, useState } from 'react'
import { useObservable } from '../app/observable.ts'
import type { TurnLog } from '../app/turn-log.ts'
import { useTurn } from '../app/use-turn.ts'
import { useTurnLog } from '../app/use-turn-log.ts'
import type { ShownConversation } from './conversation-reader.ts'
import { placeOf, reveal, soughtPlace } from './places.ts'

/** As many messages are brought at first where a place lies before what is shown; then twice as many, and so on. */
const FIRST_STEP = 100

/**
 * Show the place that somebody seeks; where it lies before what is shown, that is brought first. Returns the key of the piece
 * that the last one lies in, which has to be on the page for that. `leave` is called before it is gone to.
 */
export function useSoughtPlace(shown: ShownConversation, leave: () => void): string | undefined {
  const [found, setFound] = useState<string>()
  const anchor = useObservable(soughtPlace)
  const log = useTurnLog()
  const { calls, hasEarlier, loadEarlier } = useTurn((turn) => ({
    calls: anchor === undefined ? undefined : turn.calls,
    hasEarlier: turn.hasEarlier,
    loadEarlier: turn.loadEarlier,
  }))
  const messageId = useMemo(
    () => (anchor === undefined || calls === undefined ? undefined : messageOf(anchor, { log, calls })),
    [anchor, log, calls],
  )
  const key = messageId === undefined ? undefined : shown.blockOf(messageId)
  const isBefore = key === undefined && messageId !== undefined && hasEarlier
  useEffect(() => {
    if (anchor === undefined) return
    const place = document.getElementById(anchor)
    if (place !== null) {
      leave()
      reveal(place)
      setFound(key)
    }
    // One that is in a piece is there by now, unless it is folded away.
    if (!isBefore) soughtPlace.set(undefined)
  }, [anchor, key, isBefore, leave])
  useEffect(() => {
    if (!isBefore) return
    let isSought = true
    const bring = async (count: number): Promise<void> => {
      await loadEarlier(count)
      // By then it is drawn, and this has been told if it was enough.
      await new Promise(requestAnimationFrame)
      if (isSought) await bring(count * 2)
    }
    // A store that cannot be read says so in the storage notice.
    bring(FIRST_STEP).catch(() => soughtPlace.set(undefined))
    return () => {
      isSought = false
    }
  }, [isBefore, loadEarlier])
  return key ?? found
}

/** The message that a place lies in, where it is part of the conversation. */
function messageOf(anchor: string, { log, calls }: { log: TurnLog; calls: Snapshot['calls'] }): string | undefined {
  const { messageId, callId = '' } = placeOf(anchor)
  const record = messageId === undefined ? log.turn(calls.get(callId)?.turnId ?? '') : log.turnOf(messageId)
  if (record === undefined || record.isSetAside) return undefined
  return (
    messageId ??
    record.entries
      .flatMap((entry) => (entry.type === 'message' ? [entry.message] : []))
      .find(
        (message) =>
          message.role === 'assistant' &&
          message.content.some((part) => part.type === 'tool-call' && part.callId === callId),
      )?.id
  )
}
