import { type Message, messageText, type Snapshot, shallowEqual, type UserMessage } from '@turnloop/core'
import { isSameBlock, type TurnBlock, turnBlocks } from './turn-blocks.ts'

type Source = Snapshot['source']

/** A piece of the conversation as it is shown: a question with its answer, or a summary with what it stands for. */
export type ConversationPart =
  | { readonly kind: 'turn'; readonly block: TurnBlock }
  | { readonly kind: 'summary'; readonly summary: Summary }

/** A summary in place of earlier messages. */
export interface Summary {
  readonly key: string
  readonly text: string
  /** The messages it stands for: the log's own, as they were. */
  readonly earlier: EarlierMessages
}

/** What a compaction took out of the conversation. */
export interface EarlierMessages {
  readonly blocks: readonly TurnBlock[]
  /** Of messages, tool results included. */
  readonly count: number
  /** No later compaction is in force, so this is the one that can be taken back. */
  readonly isNewest: boolean
}

/** What each summary stands for, by the id of its message. Reads the log's messages where they are; copies none. */
export function earlierMessages({ messages, overlays, undone }: Source): ReadonlyMap<string, EarlierMessages> {
  const newest = overlays.findLast(({ id, at }) => !undone.some((undo) => undo.id === id && undo.at > at))
  const bySummary = new Map<string, EarlierMessages>()
  for (const overlay of overlays) {
    const isHidden = (sequence: number): boolean =>
      overlay.hides.some(([from, to]) => sequence >= from && sequence <= to)
    const runs = splitBefore(messages, (logged, before) => !isHidden(before.sequence) || !isHidden(logged.sequence))
    const hidden = runs.filter(([first]) => first !== undefined && isHidden(first.sequence))
    const earlier: EarlierMessages = {
      blocks: hidden.flatMap((run) => turnBlocks(run.map(({ message }) => message))),
      count: hidden.reduce((sum, run) => sum + run.length, 0),
      isNewest: overlay === newest,
    }
    for (const { id } of overlay.shows) bySummary.set(id, earlier)
  }
  return bySummary
}

/** Cut a transcript into its pieces. A summary ends the answer before it: what follows is a piece of its own. */
export function conversationParts(
  messages: readonly Message[],
  bySummary: ReadonlyMap<string, EarlierMessages>,
): ConversationPart[] {
  return splitBefore(messages, (message, before) => isSummary(message) || isSummary(before)).flatMap((run) => {
    const [first] = run
    if (!isSummary(first)) return turnBlocks(run).map((block): ConversationPart => ({ kind: 'turn', block }))
    const earlier = bySummary.get(first.id) ?? NOTHING_EARLIER
    return [{ kind: 'summary', summary: { key: first.id, text: summaryText(first), earlier } }]
  })
}

/** The questions of a piece, those behind a summary too, in order. */
export function blocksOf(part: ConversationPart): readonly TurnBlock[] {
  return part.kind === 'turn' ? [part.block] : part.summary.earlier.blocks
}

/** Whether two pieces show the same. */
export function isSamePart(a: ConversationPart, b: ConversationPart): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && isSameBlock(a.block, b.block)
  return b.kind === 'summary' && shallowEqual(a.summary, b.summary)
}

/** Tells a piece from all others: the id of the message that it begins with. */
export function keyOf(part: ConversationPart): string {
  return part.kind === 'turn' ? part.block.key : part.summary.key
}

const NOTHING_EARLIER: EarlierMessages = { blocks: [], count: 0, isNewest: false }

function isSummary(message: Message | undefined): message is UserMessage {
  return message?.role === 'user' && message.synthetic === 'summary'
}

/** What was summarised, without what is said to the model about it. */
function summaryText(message: UserMessage): string {
  const text = messageText(message)
  return (/^<summary>\n([\s\S]*)\n<\/summary>/.exec(text)?.[1] ?? text).trim()
}

/** Cut a list before each item that begins something new. */
function splitBefore<Item>(items: readonly Item[], isNew: (item: Item, before: Item) => boolean): Item[][] {
  const runs: Item[][] = []
  let before: Item | undefined
  for (const item of items) {
    const run = before === undefined || isNew(item, before) ? undefined : runs.at(-1)
    if (run === undefined) runs.push([item])
    else run.push(item)
    before = item
  }
  return runs
}
