import { clientCalls, type Message } from './messages.ts'
import { estimateMessageTokens } from './token-estimate.ts'
import type { TranscriptItem } from './transcript.ts'

/** What a compaction takes out of the transcript, and what it leaves. Tokens are estimates, corrected by real usage. */
export interface CompactionPlan {
  /** For an overlay, in ascending order. */
  readonly hides: readonly SequenceRange[]
  /** What the summary has to stand for, an older summary included. */
  readonly hidden: readonly Message[]
  /** What stays word for word. */
  readonly kept: readonly Message[]
  /** Of all messages. */
  readonly tokensBefore: number
  readonly tokensHidden: number
}

type SequenceRange = readonly [from: number, to: number]

/** What a compaction has to respect. */
export interface CompactionLimits {
  /** First sequence of the running turn; `Infinity` between turns. */
  readonly turnStart: number
  /** Room for messages: the window minus the reserved output, instructions and tools. */
  readonly budgetTokens: number
  /** Real by estimated tokens of the last call. Default 1. */
  readonly correction?: number
}

/** A summary costs a model call: below this share of the messages it is not worth one. */
const MIN_GAIN = 0.1

/**
 * What to hide so that the next request fits again; `undefined` when nothing worth hiding is left.
 *
 * Kept are what persons said in the running turn, its last batch of calls with all that follows, and, from the end, as
 * many whole exchanges as bring what is kept to half of the budget. All else goes, an older summary too, so that the new one
 * folds it in. A call is never parted from its result. Planning again on the outcome gives `undefined`.
 */
export function planCompaction(items: readonly TranscriptItem[], limits: CompactionLimits): CompactionPlan | undefined {
  const { turnStart, budgetTokens, correction = 1 } = limits
  const blocks = cutIntoBlocks(items, findPinned(items, turnStart))
  chooseKept(blocks, budgetTokens / 2 / correction)
  const hidden = blocks.flatMap((block) => (block.isKept ? [] : block.items))
  const tokensBefore = sumOf(blocks)
  const tokensHidden = sumOf(blocks.filter(({ isKept }) => !isKept))
  // An older summary gains nothing: the new one, which it is folded into, is about as long.
  const gain = tokensHidden - tokensOf(hidden.filter(isSummary))
  if (gain === 0 || gain < MIN_GAIN * tokensBefore) return undefined
  return {
    hides: mergeRanges(hidden.flatMap(({ covers }) => covers)),
    hidden: hidden.map(({ message }) => message),
    kept: blocks.flatMap((block) => (block.isKept ? block.items.map(({ message }) => message) : [])),
    tokensBefore: Math.ceil(tokensBefore * correction),
    tokensHidden: Math.ceil(tokensHidden * correction),
  }
}

/** Keep, from the end, as many blocks as there is room for beside those that stay anyway. */
function chooseKept(blocks: readonly Block[], room: number): void {
  let left = room - sumOf(blocks.filter(({ isKept }) => isKept))
  for (const block of blocks.toReversed()) {
    if (block.isKept || block.items.some(isSummary)) continue
    left -= block.tokens
    if (left < 0) return
    block.isKept = true
  }
}

function sumOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0)
}

function tokensOf(items: readonly TranscriptItem[]): number {
  return items.reduce((sum, { message }) => sum + estimateMessageTokens(message), 0)
}

/** Messages that stay or go together: an exchange, or less where less is safe to part. */
interface Block {
  readonly items: TranscriptItem[]
  isKept: boolean
  /** Estimated, not corrected. */
  tokens: number
}

type IsPinned = (item: TranscriptItem, index: number) => boolean

/** Which messages stay whatever they cost. A summary never does: it is folded into the next one. */
function findPinned(items: readonly TranscriptItem[], turnStart: number): IsPinned {
  if (turnStart === Number.POSITIVE_INFINITY) return () => false
  const start = findTurn(items, turnStart)
  const lastOf = (isIt: (message: Message) => boolean): number =>
    items.findLastIndex(({ message }, index) => index >= start && isIt(message))
  // Without a batch the last reply: it may have been paused, or be what a nudge after it speaks of.
  const replies = [lastOf(hasClientCalls), lastOf(({ role }) => role === 'assistant'), items.length]
  const pending = replies.find((index) => index >= 0) ?? items.length
  return (item, index) => !isSummary(item) && (index >= pending || (index >= start && isFromPerson(item.message)))
}

/**
 * Where the running turn begins. One that has no input of its own, such as a retry, goes on with what a person said last.
 */
function findTurn(items: readonly TranscriptItem[], turnStart: number): number {
  const start = items.findIndex(({ sequence }) => sequence >= turnStart)
  const lastInput = items.findLastIndex(({ message }) => isFromPerson(message))
  return start >= 0 && lastInput >= start ? start : Math.max(0, lastInput)
}

/** The messages between one turn-safe border and the next, found on the very messages that are cut. */
function cutIntoBlocks(items: readonly TranscriptItem[], isPinned: IsPinned): Block[] {
  const blocks: Block[] = []
  const answers = findAnswers(items)
  // As far as this, calls made until now are answered.
  let answered = -1
  let before: TranscriptItem | undefined
  let wasPinned = false
  for (const [index, item] of items.entries()) {
    const isKept = isPinned(item, index)
    const isExchange = isKept === wasPinned && before !== undefined && isOneExchange(before, item)
    const isTogether = index <= answered || isExchange || isOnePiece(before, item)
    const block = isTogether ? blocks.at(-1) : undefined
    const tokens = estimateMessageTokens(item.message)
    if (block === undefined) blocks.push({ items: [item], isKept, tokens })
    else {
      block.items.push(item)
      block.isKept ||= isKept
      block.tokens += tokens
    }
    for (const callId of callsOf(item.message)) answered = Math.max(answered, answers.get(callId) ?? -1)
    before = item
    wasPinned = isKept
  }
  return blocks
}

/** Where each call is answered for the last time, by the loop or by the provider. */
function findAnswers(items: readonly TranscriptItem[]): Map<string, number> {
  const answers = new Map<string, number>()
  for (const [index, { message }] of items.entries()) {
    if (message.role === 'tool') for (const { callId } of message.results) answers.set(callId, index)
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'provider-result') answers.set(part.callId, index)
  }
  return answers
}

function callsOf(message: Message): string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
}

/** Whether no border may fall between two neighbours: what one overlay shows, and a reply that the provider paused. */
function isOnePiece(before: TranscriptItem | undefined, item: TranscriptItem): boolean {
  if (item.covers === before?.covers) return true
  return (
    item.message.role === 'assistant' && before?.message.role === 'assistant' && before.message.stopReason === 'pause'
  )
}

/** Whether the first of two neighbours asks what the second answers, or goes on asking. */
function isOneExchange(before: TranscriptItem, item: TranscriptItem): boolean {
  return before.message.role === 'user' && !isSummary(before) && !isSummary(item)
}

function isSummary({ message }: TranscriptItem): boolean {
  return message.role === 'user' && message.synthetic === 'summary'
}

function isFromPerson(message: Message): boolean {
  return message.role === 'user' && message.synthetic === undefined
}

function hasClientCalls(message: Message): boolean {
  return message.role === 'assistant' && clientCalls(message).length > 0
}

/** Ranges in order, those that meet made one. */
export function mergeRanges(ranges: readonly SequenceRange[]): SequenceRange[] {
  const merged: SequenceRange[] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const [start, end] = merged.at(-1) ?? [from, Number.NEGATIVE_INFINITY]
    if (from > end + 1) merged.push([from, to])
    else merged.splice(-1, 1, [start, Math.max(end, to)])
  }
  return merged
}
