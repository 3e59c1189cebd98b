import { addUsage, type Message, type Outcome, type Snapshot, type Usage } from '@turnloop/core'
import { fromUIMessages } from './from-ui-messages.ts'
import { isSameData } from './same-data.ts'
import { type MessageRecord, replyIdOf, type TurnloopMetadata, type TurnloopUIMessage } from './ui-metadata.ts'
import { type LiveFacts, shownParts } from './ui-steps.ts'

/**
 * A transcript as the UI messages of the AI SDK: what components written for `useChat` draw.
 *
 * What a person said is one message; everything that answers it is another, a step per reply, with the results in the parts
 * of the calls. Of a snapshot, the reply that is growing, running calls, and calls that wait for a decision are shown as
 * they stand; the same snapshot gives the same list, and messages that are complete stay the same objects. What the parts
 * have no place for is in `metadata`, so that `fromUIMessages` gives back what went in.
 */
export function toUIMessages(from: readonly Message[] | Snapshot): TurnloopUIMessage[] {
  if (!isSnapshot(from)) return groupsOf(from).map((group) => closedMessage(group))
  const known = ofSnapshots.get(from)
  if (known !== undefined) return known
  const shown = fromSnapshot(from)
  ofSnapshots.set(from, shown)
  return shown
}

const ofSnapshots = new WeakMap<Snapshot, TurnloopUIMessage[]>()

function isSnapshot(from: readonly Message[] | Snapshot): from is Snapshot {
  return 'status' in from
}

function fromSnapshot(snapshot: Snapshot): TurnloopUIMessage[] {
  const { messages, open, outcome, calls, pending } = snapshot
  const { closed, last } = settledPart(messages)
  const group = open === undefined ? last : withReply(last, open)
  if (group === undefined) return [...closed]
  const live: LiveFacts = {
    openId: open?.id,
    factsOf: (callId) => ({
      view: calls.get(callId),
      // Of an agent that runs as a tool, what is asked is shown with the call that runs it.
      asked: pending.find((request) => (request.path?.[0] ?? request.callId) === callId),
    }),
  }
  const before =
    group === last || last === undefined || group.messages[0] === last.messages[0] ? [] : [closedMessage(last)]
  const isLive = snapshot.status !== 'idle' || isUnanswered(group)
  return [...closed, ...before, isLive ? createMessage(group, { live, outcome }) : closedMessage(group, outcome)]
}

/** What of a list of messages cannot change any more, and the group that can. */
interface SettledPart {
  readonly closed: readonly TurnloopUIMessage[]
  readonly last: Group | undefined
}

/** A snapshot's list stays the same one while a reply grows: a delta costs what the last group does. */
function settledPart(messages: readonly Message[]): SettledPart {
  const known = settledParts.get(messages)
  if (known !== undefined) return known
  const groups = groupsOf(messages)
  const part = { closed: groups.slice(0, -1).map((group) => closedMessage(group)), last: groups.at(-1) }
  settledParts.set(messages, part)
  return part
}

const settledParts = new WeakMap<readonly Message[], SettledPart>()

/** The last group with the reply that is growing: of its own, where a person spoke last. */
function withReply(last: Group | undefined, open: Message): Group {
  const [first] = last?.messages ?? []
  if (last !== undefined && first?.role !== 'user') return { ...last, messages: [...last.messages, open] }
  return { messages: [open], answers: first?.role === 'user' && first.synthetic === undefined ? first.id : undefined }
}

/** Messages that are shown as one: each of a person alone, what answers it together. */
interface Group {
  readonly messages: Message[]
  /** The id of the person's message that it answers. */
  readonly answers?: string | undefined
}

function groupsOf(messages: readonly Message[]): Group[] {
  const groups: Group[] = []
  let replies: Group | undefined
  let answers: string | undefined
  for (const message of messages) {
    const isAlone = message.role === 'user' && (message.synthetic === undefined || replies === undefined)
    if (isAlone) {
      groups.push({ messages: [message] })
      answers = message.synthetic === undefined ? message.id : undefined
      replies = undefined
    } else if (replies === undefined) {
      replies = { messages: [message], answers }
      groups.push(replies)
    } else {
      replies.messages.push(message)
    }
  }
  return groups
}

/** Whether calls of the last reply have no result, so that what is shown of them can still change. */
function isUnanswered({ messages }: Group): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.content.some(({ type }) => type === 'tool-call')
}

interface Made {
  readonly group: Group
  readonly outcome: Outcome | undefined
  readonly message: TurnloopUIMessage
}

/** By their first message. Messages keep their identity for ever, and so does what is shown of them. */
const made = new WeakMap<Message, Made>()

function closedMessage(group: Group, outcome?: Outcome): TurnloopUIMessage {
  const [first] = group.messages
  const known = first && made.get(first)
  // An outcome that is known once stays true when the snapshot has gone on to the next.
  const isKnown = known !== undefined && (outcome === undefined || known.outcome === outcome)
  if (isKnown && isSameGroup(known.group, group)) return known.message
  const message = createMessage(group, { outcome })
  if (first !== undefined) made.set(first, { group, outcome, message })
  return message
}

function isSameGroup(a: Group, b: Group): boolean {
  const isEqual = a.answers === b.answers && a.messages.length === b.messages.length
  return isEqual && a.messages.every((message, index) => message === b.messages[index])
}

function createMessage(
  { messages, answers }: Group,
  facts: { live?: LiveFacts; outcome?: Outcome | undefined },
): TurnloopUIMessage {
  const [first] = messages
  const id = first?.id ?? ''
  const parts = shownParts(messages, facts.live)
  if (first?.role === 'user') {
    const role = first.synthetic === undefined ? 'user' : 'system'
    return withRecords({ id, role, parts, metadata: { createdAt: first.createdAt } }, messages)
  }
  const metadata = { ...summaryOf(messages), ...(facts.outcome && { outcome: facts.outcome }) }
  const replyId = answers === undefined ? id : replyIdOf(answers)
  return withRecords({ id: replyId, role: 'assistant', parts, metadata }, messages)
}

function summaryOf(messages: readonly Message[]): TurnloopMetadata {
  let usage: Usage | undefined
  let modelId: string | undefined
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    if (message.usage !== undefined) usage = addUsage(usage ?? {}, message.usage)
    modelId = message.modelId ?? modelId
  }
  const createdAt = messages[0]?.createdAt
  return {
    ...(createdAt !== undefined && { createdAt }),
    ...(modelId !== undefined && { modelId }),
    ...(usage !== undefined && { usage }),
  }
}

/** Write down what the parts do not say; and where that is not enough to get a message back exactly, all of it. */
function withRecords(message: TurnloopUIMessage, messages: readonly Message[]): TurnloopUIMessage {
  const briefly = messages.map(recordOf)
  const restored = fromUIMessages([noting(message, briefly)])
  const records = messages.map((original, index) => {
    const brief = briefly[index]
    return brief !== undefined && isSameData(restored[index], original) ? brief : original
  })
  return noting(message, records)
}

function noting(message: TurnloopUIMessage, turnloop: readonly MessageRecord[]): TurnloopUIMessage {
  return { ...message, metadata: { ...message.metadata, turnloop } }
}

function recordOf(message: Message): MessageRecord {
  if (message.role === 'tool') {
    const { results: _results, ...rest } = message
    return rest
  }
  // What the loop said in a person's place has no part of its own.
  if (message.role === 'user' && message.synthetic !== undefined) return message
  const { content: _content, ...rest } = message
  return rest
}
