import type { Message, UserMessage } from '@turnloop/core'
import { useCallback } from 'react'
import { useTurn } from '../app/use-turn.ts'
import { questionName } from '../attachments/attached-parts.ts'
import { isErased } from './erased.ts'
import { isQuestion } from './turn-blocks.ts'
import { titleOf } from './use-ask.ts'

/** Take messages out for good. Where the session is named after one of them it is named anew first. Rejects as `erase` does. */
export function useErase(): (messageIds: readonly string[]) => Promise<void> {
  const session = useTurn((turn) => turn.session)
  return useCallback(
    async (messageIds) => {
      if (session === undefined) return
      const { title, messages } = session.getSnapshot()
      const name = nameWithout(messageIds, { title, messages })
      // First: an erasure also drops the names that a session had before.
      if (name !== undefined) await session.rename(name)
      for (const messageId of messageIds) await session.erase(messageId)
    },
    [session],
  )
}

/** What a session is called once these messages are gone; `undefined` where its name does not tell of them. */
export function nameWithout(
  messageIds: readonly string[],
  { title, messages }: { title: string | undefined; messages: readonly Message[] },
): string | undefined {
  const questions = messages.filter((message): message is UserMessage => isQuestion(message) && !isErased(message))
  const isGone = ({ id }: UserMessage): boolean => messageIds.includes(id)
  const isNamed = questions.some((message) => isGone(message) && titleOf(questionName(message)) === title)
  if (!isNamed) return undefined
  const next = questions.find((message) => !isGone(message) && message.synthetic === undefined)
  return next === undefined ? 'Untitled session' : titleOf(questionName(next))
}
