import type { Message, Snapshot } from '@turnloop/core'
import {
  blocksOf,
  type ConversationPart,
  conversationParts,
  type EarlierMessages,
  earlierMessages,
  isSamePart,
  keyOf,
} from './conversation-parts.ts'

/** A conversation as it is shown, cut into its pieces. */
export interface ShownConversation {
  /** In order. A piece that has not changed is the same object in the next one. */
  readonly parts: readonly ConversationPart[]
  /** The question, by its key, under which a message is shown, behind a summary too. */
  blockOf(messageId: string): string | undefined
}

/**
 * Reads a conversation again whenever it has changed. What was added at its end, as a reply that grows, costs as much as the
 * piece that it belongs to, and a look at which messages are the same.
 */
export class ConversationReader {
  readonly #earlier = new EarlierReader()
  #messages: readonly Message[] = []
  #bySummary: ReadonlyMap<string, EarlierMessages> = new Map()
  /** Where each piece begins. */
  #starts: readonly number[] = []
  readonly #blocks = new Map<string, string>()
  #shown: ShownConversation = { parts: [], blockOf: (messageId) => this.#blocks.get(messageId) }

  /** The same object until the conversation has changed. */
  read({ messages, source }: Pick<Snapshot, 'messages' | 'source'>): ShownConversation {
    const bySummary = this.#earlier.read(source)
    const isSameLog = bySummary === this.#bySummary
    if (messages === this.#messages && isSameLog) return this.#shown
    const same = isSameLog ? sameStart(messages, this.#messages) : 0
    // The last piece that begins with what stayed may have got more.
    const open = this.#starts.findLastIndex((start) => start < same)
    const from = this.#starts[open] ?? 0
    const fresh = conversationParts(from === 0 ? messages : messages.slice(from), bySummary)
    this.#messages = messages
    this.#bySummary = bySummary
    this.#replace(Math.max(open, 0), fresh, from)
    return this.#shown
  }

  #replace(kept: number, fresh: readonly ConversationPart[], from: number): void {
    const gone = this.#shown.parts.slice(kept)
    for (const part of gone) for (const id of messageIds(part)) this.#blocks.delete(id)
    for (const block of fresh.flatMap(blocksOf)) {
      this.#blocks.set(block.key, block.key)
      for (const reply of block.replies) this.#blocks.set(reply.id, block.key)
    }
    this.#starts = [...this.#starts.slice(0, kept), ...startsOf(fresh, this.#messages, from)]
    const parts = fresh.map((part, index) => {
      const before = gone[index]
      return before !== undefined && isSamePart(before, part) ? before : part
    })
    this.#shown = { ...this.#shown, parts: [...this.#shown.parts.slice(0, kept), ...parts] }
  }
}

/** What summaries stand for changes with what lies over the log, and with what is read before it; not with what is added. */
class EarlierReader {
  #facts: readonly unknown[] = []
  #earlier: ReadonlyMap<string, EarlierMessages> = new Map()

  read(source: Snapshot['source']): ReadonlyMap<string, EarlierMessages> {
    const facts = [source.overlays, source.undone, source.messages[0]]
    if (facts.some((fact, index) => fact !== this.#facts[index])) {
      const isPlain = source.overlays.length === 0 && this.#earlier.size === 0
      if (!isPlain) this.#earlier = earlierMessages(source)
      this.#facts = facts
    }
    return this.#earlier
  }
}

/** How many messages two conversations begin with alike. */
function sameStart(a: readonly Message[], b: readonly Message[]): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same]) same += 1
  return same
}

function startsOf(parts: readonly ConversationPart[], messages: readonly Message[], from: number): number[] {
  const starts: number[] = []
  for (let at = from; at < messages.length; at++) {
    const part = parts[starts.length]
    if (part !== undefined && messages[at]?.id === keyOf(part)) starts.push(at)
  }
  return starts
}

function messageIds(part: ConversationPart): string[] {
  return blocksOf(part).flatMap(({ key, replies }) => [key, ...replies.map(({ id }) => id)])
}
