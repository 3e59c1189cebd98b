import type { AssistantMessage, Message, UserMessage } from '@turnloop/core'

/** One question with everything that answers it, in order. */
export interface TurnBlock {
  readonly key: string
  readonly user?: UserMessage
  readonly replies: readonly AssistantMessage[]
  /** What people wrote beside it, for people. */
  readonly comments?: readonly UserMessage[]
}

/**
 * Cut a transcript into questions and their answers.
 *
 * Tool messages are left out: a call shows its own result. What the loop said in a person's place starts no block, apart
 * from what stands for a question that was held back. A comment stands with what it follows, or alone before the first question.
 */
export function turnBlocks(messages: readonly Message[]): TurnBlock[] {
  const blocks: GrowingBlock[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role === 'user') {
      if (message.synthetic === 'note') addComment(blocks, message)
      else if (isQuestion(message)) blocks.push({ key: message.id, user: message, replies: [] })
      continue
    }
    const last = blocks.at(-1)
    if (last === undefined) blocks.push({ key: message.id, replies: [message] })
    else last.replies.push(message)
  }
  return blocks
}

interface GrowingBlock extends TurnBlock {
  readonly replies: AssistantMessage[]
  comments?: UserMessage[]
}

function addComment(blocks: GrowingBlock[], comment: UserMessage): void {
  const last = blocks.at(-1)
  if (last === undefined) blocks.push({ key: comment.id, replies: [], comments: [comment] })
  else last.comments = [...(last.comments ?? []), comment]
}

/** Whether a person wrote it; of what a check held back, its place is left. */
export function isQuestion(message: Message): message is UserMessage {
  return message.role === 'user' && (message.synthetic === undefined || message.synthetic === 'blocked')
}

/** Whether two blocks show the same. Closed messages keep their identity, so only the one that grows differs. */
export function isSameBlock(a: TurnBlock, b: TurnBlock): boolean {
  return (
    a.key === b.key &&
    a.user === b.user &&
    a.replies.length === b.replies.length &&
    a.replies.every((reply, index) => reply === b.replies[index]) &&
    a.comments?.length === b.comments?.length &&
    (a.comments ?? []).every((comment, index) => comment === b.comments?.[index])
  )
}
