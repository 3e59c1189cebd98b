import {
  EMPTY_SNAPSHOT,
  type Entry,
  type EntryDraft,
  type LiveEvent,
  type Message,
  messageText,
  reduce,
  type Snapshot,
  type TurnEvent,
} from '@turnloop/core'
import { expect, test, vi } from 'vitest'
import { LayeredMap } from '../src/layered-map.ts'
import { reduceLog } from '../src/reduce.ts'

type Draft = EntryDraft | (Pick<LiveEvent, 'type'> & Record<string, unknown>)

/** Reduce drafts one by one; entries are numbered, live events follow what came before. */
function play(drafts: readonly Draft[], from: Snapshot = EMPTY_SNAPSHOT, first = 1): Snapshot {
  return events(drafts, first).reduce(reduce, from)
}

const LIVE = new Set(['iteration-started', 'model-started', 'tool-progress', 'retry', 'warning', 'custom'])

function events(drafts: readonly Draft[], first = 1): TurnEvent[] {
  let sequence = first - 1
  return drafts.map((draft) => {
    const isLive = LIVE.has(draft.type) || draft.type.endsWith('-delta')
    if (!isLive) sequence += 1
    const base = isLive ? { after: sequence } : { sequence }
    // The cases below write drafts of known kinds, and on purpose of unknown ones.
    return { ...base, at: sequence, turnId: 't', ...draft } as TurnEvent
  })
}

const started: EntryDraft = { type: 'turn-started', agentName: 'a', modelId: 'm', history: true }

function user(id: string): EntryDraft {
  return { type: 'message', message: { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: id }] } }
}

function reply(id: string, ...callIds: string[]): EntryDraft {
  const calls = callIds.map((callId) => ({
    type: 'tool-call',
    callId,
    wireId: callId,
    toolName: 'sum',
    inputText: '{}',
  }))
  const stopReason = calls.length > 0 ? 'toolUse' : 'endTurn'
  const content = [{ type: 'text', text: id }, ...calls]
  // Written out above in the form of an assistant message.
  return { type: 'message', message: { id, role: 'assistant', createdAt: 0, content, stopReason } } as EntryDraft
}

function toolStarted(callId: string): EntryDraft {
  return { type: 'tool-started', callId, toolName: 'sum', input: { n: 1 }, idempotencyKey: callId, attempt: 1 }
}

function settled(callId: string, text = 'done'): EntryDraft {
  const result = { content: [{ type: 'text' as const, text }] }
  return { type: 'tool-settled', callId, toolName: 'sum', status: 'ok', result, startedAt: 1, durationMs: 2 }
}

function answers(id: string, ...callIds: string[]): EntryDraft {
  return { type: 'message', message: { id, role: 'tool', createdAt: 0, calls: callIds.map((callId) => ({ callId })) } }
}

const ended: EntryDraft = {
  type: 'turn-ended',
  outcome: { kind: 'completed' },
  usage: { inputTokens: 3 },
  iterations: 0,
}

function modelStarted(messageId: string): Draft {
  return { type: 'model-started', messageId, modelId: 'm' }
}

function text(messageId: string, delta: string, partIndex = 0): Draft {
  return { type: 'text-delta', messageId, partIndex, delta }
}

function callDelta(messageId: string, callId: string, delta: string, partIndex = 0): Draft {
  return { type: 'tool-input-delta', messageId, partIndex, callId, toolName: 'sum', delta }
}

function ids(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ')
}

// --- turns -----------------------------------------------------------------------------------------------------------

test('a turn that starts is running, and what the last one left is gone', () => {
  const failed: EntryDraft = {
    ...ended,
    outcome: { kind: 'failed', error: { name: 'E', code: 'internal', message: '' } },
  }
  const before = play([started, failed])
  expect([before.outcome?.kind, before.error?.code]).toEqual(['failed', 'internal'])
  const after = play([started], before, 3)
  expect(after).toMatchObject({ status: 'running', activity: { kind: 'starting' }, turn: { id: 't', iteration: 0 } })
  expect([after.outcome, after.error, after.open]).toEqual([undefined, undefined, undefined])
})

test('a turn that ends is idle, has an outcome and adds its usage', () => {
  const snapshot = play([started, ended, started, ended])
  expect(snapshot).toMatchObject({ status: 'idle', outcome: { kind: 'completed' }, usage: { inputTokens: 6 } })
  expect([snapshot.turn, snapshot.activity]).toEqual([undefined, undefined])
})

test('a completed turn carries no error', () => {
  expect(play([started, ended]).error).toBeUndefined()
})

test('a paused turn awaits what is pending', () => {
  const pending = [{ id: 'p', callId: 'c', toolName: 'sum', ask: 'approve' as const, input: {}, inputHash: '' }]
  const snapshot = play([started, { type: 'turn-paused', pending }])
  expect(snapshot).toMatchObject({ status: 'awaiting', pending, outcome: { kind: 'awaiting' } })
  expect(play([started], snapshot, 3).pending).toEqual([])
})

test('messages of a turn without history are shown and marked detached', () => {
  const { source, messages } = play([{ ...started, history: false }, user('u'), ended, started, user('v')])
  expect(source.messages.map(({ detached }) => detached)).toEqual([true, undefined])
  expect(ids(messages)).toBe('u v')
})

test('blocked input is marked', () => {
  const { source } = play([started, { ...user('u'), blocked: { trigger: 'pii' } } as EntryDraft])
  expect(source.messages[0]?.blocked).toBe(true)
})

// --- replies ---------------------------------------------------------------------------------------------------------

test('deltas grow the open reply, each part in its place', () => {
  const { open } = play([
    started,
    modelStarted('a'),
    { type: 'reasoning-delta', messageId: 'a', partIndex: 0, delta: 'Hm' },
    text('a', 'Hel', 2),
    text('a', 'lo', 2),
  ])
  expect(open).toMatchObject({ id: 'a', partial: true })
  expect(open?.content).toMatchObject([
    { type: 'reasoning', text: 'Hm' },
    { text: '' },
    { type: 'text', text: 'Hello' },
  ])
})

test('a delta of another reply changes nothing', () => {
  const before = play([started, modelStarted('a')])
  expect(play([text('b', 'x')], before, 2)).toBe(before)
})

test('a whole reply takes the place of the open one', () => {
  const snapshot = play([started, modelStarted('a'), text('a', 'Hi'), reply('a')])
  expect([snapshot.open, ids(snapshot.messages)]).toEqual([undefined, 'a'])
})

test('a retry drops the open reply and the calls that grew in it', () => {
  const snapshot = play([
    started,
    modelStarted('a'),
    callDelta('a', 'c', '{'),
    { type: 'retry', reason: 'overloaded', delayMs: 5, discarded: 'a' },
  ])
  expect(snapshot.open).toBeUndefined()
  expect([snapshot.activity?.kind, snapshot.calls.get('c')?.state]).toEqual(['retry-wait', 'settled'])
})

test('a reply that was kept from before is shown until the next one starts', () => {
  const open = { id: 'old', role: 'assistant', createdAt: 0, content: [], stopReason: 'other', partial: true } as const
  const cut = { ...play([started]), open }
  expect(play([{ type: 'iteration-started', iteration: 1 }], cut, 2).open).toBe(open)
  expect(play([modelStarted('new')], cut, 2).open?.id).toBe('new')
})

// --- calls -----------------------------------------------------------------------------------------------------------

test('a call is seen growing, waiting, running and settled', () => {
  const drafts = [
    ...[started, modelStarted('a'), callDelta('a', 'c', '{'), callDelta('a', 'c', '}')],
    ...[reply('a', 'c'), toolStarted('c'), settled('c')],
  ]
  const states = drafts.map((_, index) => play(drafts.slice(0, index + 1)).calls.get('c')?.state)
  expect(states.slice(2)).toEqual(['input-streaming', 'input-streaming', 'waiting', 'running', 'settled'])
  expect(play(drafts).calls.get('c')).toMatchObject({ turnId: 't', inputText: '{}', input: { n: 1 } })
})

test('a call that grew and is not in the whole reply has never been made', () => {
  const snapshot = play([started, modelStarted('a'), callDelta('a', 'c', '{'), reply('a')])
  expect(snapshot.calls.get('c')?.state).toBe('settled')
})

test('the turn names its calls that have not settled', () => {
  const drafts = [started, reply('a', 'c', 'd'), settled('c')]
  expect(play(drafts).turn?.openCalls).toEqual(['d'])
})

test('whatever call is still open ends with its turn', () => {
  const snapshot = play([started, reply('a', 'c'), toolStarted('c'), ended])
  expect(snapshot.calls.get('c')?.state).toBe('settled')
})

test('progress belongs to a running call; a settled one keeps its last', () => {
  const progress = { type: 'tool-progress', callId: 'c', update: 50 } as const
  const running = play([started, reply('a', 'c'), toolStarted('c'), progress])
  expect(running.calls.get('c')?.progress).toBe(50)
  const done = play([settled('c')], running, 4)
  expect(play([{ ...progress, update: 60 }], done, 5)).toBe(done)
})

test('a tool message joins the results that its calls settled with', () => {
  const { messages } = play([
    started,
    reply('a', 'c', 'd'),
    settled('d', 'D'),
    settled('c', 'C'),
    answers('r', 'c', 'd'),
  ])
  expect(messages.at(-1)).toEqual({
    ...{ id: 'r', role: 'tool', createdAt: 0 },
    results: ['c', 'd'].map((callId) => ({
      ...{ callId, toolName: 'sum', status: 'ok', startedAt: 1, durationMs: 2 },
      result: { content: [{ type: 'text', text: callId.toUpperCase() }] },
    })),
  })
})

test('a result of its own in the tool message wins', () => {
  const own = { content: [{ type: 'text' as const, text: 'changed' }] }
  const message = { id: 'r', role: 'tool' as const, createdAt: 0, calls: [{ callId: 'c', result: own }] }
  const { messages } = play([started, reply('a', 'c'), settled('c'), { type: 'message', message }])
  expect(messages.at(-1)).toMatchObject({ results: [{ result: own, status: 'ok' }] })
})

test('a late result changes nothing', () => {
  const before = play([started, reply('a', 'c'), settled('c'), answers('r', 'c')])
  expect(play([{ ...settled('c', 'late'), late: true } as EntryDraft], before, 5)).toBe(before)
})

test('only a batch that was run counts as an iteration', () => {
  const cut = { ...reply('b', 'd') } as Extract<EntryDraft, { type: 'message' }>
  const refused = { ...cut, message: { ...cut.message, stopReason: 'maxTokens' } } as EntryDraft
  const ran = play([started, reply('a', 'c'), settled('c'), answers('r', 'c')])
  expect(ran.turn?.iteration).toBe(1)
  expect(play([refused, settled('d'), answers('q', 'd')], ran, 5).turn?.iteration).toBe(1)
})

test('calls the provider runs are running until their result is there', () => {
  const call = { type: 'tool-call', callId: 'p', wireId: 'p', toolName: 'web', inputText: '{}', providerExecuted: true }
  const found = { type: 'provider-result', callId: 'p', wireId: 'p', toolName: 'web', result: [] }
  const say = (id: string, part: object): EntryDraft =>
    // Written out in the form of an assistant message.
    ({
      type: 'message',
      message: { id, role: 'assistant', createdAt: 0, content: [part], stopReason: 'pause' },
    }) as never
  const asked = play([started, say('a', call)])
  expect(asked.calls.get('p')).toMatchObject({ state: 'running', providerExecuted: true })
  expect(play([say('b', found)], asked, 3).calls.get('p')?.state).toBe('settled')
})

// --- the session -----------------------------------------------------------------------------------------------------

test('state is merged as a merge patch', () => {
  const change = (patch: Extract<EntryDraft, { type: 'state-changed' }>['patch']): EntryDraft => ({
    type: 'state-changed',
    patch,
  })
  const { state } = play([
    change({ a: 1, b: { c: 2, d: 3 } }),
    change({ a: null, b: { c: null, e: [1] } }),
    change({ f: 0 }),
  ])
  expect(state).toEqual({ b: { d: 3, e: [1] }, f: 0 })
})

test('a title is the last one given', () => {
  const named = play([
    { type: 'session-changed', title: 'One' },
    { type: 'session-changed', title: 'Two' },
  ])
  expect(named.title).toBe('Two')
  expect(play([{ type: 'session-changed' }], named, 3)).toBe(named)
})

test('overlays, their undoing and rewinds change what is shown', () => {
  const shows = [{ id: 'sum', role: 'user' as const, createdAt: 0, content: [] }]
  const drafts: EntryDraft[] = [
    ...[user('u'), user('v'), user('w')],
    { type: 'overlay', id: 'o', by: 'compaction', hides: [[1, 2]], shows },
    { type: 'overlay-undone', id: 'o' },
    { type: 'rewound', to: 2 },
    user('x'),
  ]
  const seen = drafts.map((_, index) => ids(play(drafts.slice(0, index + 1)).messages))
  expect(seen.slice(3)).toEqual(['sum w', 'u v w', 'u v', 'u v x'])
})

// --- identity and cost -----------------------------------------------------------------------------------------------

test.each<[string, Draft]>([
  ['an unknown kind', { type: 'mood-changed' } as never],
  ['an unknown kind that is critical', { type: 'mood-changed', critical: true } as never],
  ['a checkpoint', { type: 'checkpoint', position: 'reply' }],
  ['a warning', { type: 'warning', message: 'x' }],
  ['a custom event', { type: 'custom', name: 'x', data: 1 }],
  ['an iteration', { type: 'iteration-started', iteration: 1 }],
  ["a sub-agent's message", { ...user('inner'), path: ['c'] }],
])('%s gives the same snapshot back', (_name, draft) => {
  const before = play([started, user('u')])
  expect(play([draft], before, 3)).toBe(before)
})

test('what an event does not touch keeps its identity', () => {
  const before = play([started, user('u'), reply('a', 'c'), toolStarted('c'), modelStarted('b')])
  const after = play([text('b', 'Hi')], before, 5)
  const { open: _before, ...rest } = before
  const { open: _after, ...same } = after
  for (const key of Object.keys(rest)) expect(same[key as keyof typeof same]).toBe(rest[key as keyof typeof rest])
})

test('a closed message stays the same object whatever follows', () => {
  const before = play([started, user('u'), reply('a', 'c')])
  const after = play([settled('c'), answers('r', 'c'), reply('b'), ended, started, user('v'), ended], before, 4)
  expect(after.messages.slice(0, 2)).toEqual(before.messages)
  for (const [index, message] of before.messages.entries()) expect(after.messages[index]).toBe(message)
})

test('a snapshot that was handed out never changes', () => {
  const before = play([started, user('u'), reply('a', 'c')])
  const copy = JSON.stringify([before, [...before.calls]])
  reduceLog(before, events([settled('c'), answers('r', 'c'), ended], 4) as Entry[])
  play([settled('c'), answers('r', 'c'), ended], before, 4)
  expect(JSON.stringify([before, [...before.calls]])).toBe(copy)
})

/** A long conversation of which every look at an old message is counted. */
function longLog(turns: number): { entries: Entry[]; looks: () => number } {
  let looks = 0
  const drafts = Array.from({ length: turns }, (_, turn) => [
    ...[started, user(`u${turn}`), reply(`a${turn}`, `c${turn}`), toolStarted(`c${turn}`), settled(`c${turn}`)],
    ...[answers(`r${turn}`, `c${turn}`), ended],
  ]).flat()
  // Only entries are among the drafts.
  const entries = events(drafts) as Entry[]
  for (const entry of entries) {
    if (entry.type !== 'message' || entry.message.role === 'tool') continue
    const { content } = entry.message
    Object.defineProperty(entry.message, 'content', {
      enumerable: true,
      get: () => {
        looks += 1
        return content
      },
    })
  }
  return { entries, looks: () => looks }
}

test('a turn after ten thousand messages looks at none of them', () => {
  const { entries, looks } = longLog(3500)
  const before = reduceLog(EMPTY_SNAPSHOT, entries)
  expect(before.messages.length).toBeGreaterThan(10_000)
  const looked = looks()
  const walks = vi.spyOn(LayeredMap.prototype, 'entries')
  const turn = [started, user('u'), modelStarted('a'), text('a', 'Hi'), reply('a', 'c'), toolStarted('c'), settled('c')]
  const after = play([...turn, answers('r', 'c'), ended], before, entries.length + 1)
  expect([looks() - looked, walks.mock.calls.length]).toEqual([0, 0])
  expect(messageText(after.messages[0] as never)).toBe('u0')
  walks.mockRestore()
})

test('an overlay in a long log does not make later messages dear', () => {
  const { entries, looks } = longLog(500)
  const overlay: EntryDraft = { type: 'overlay', id: 'o', by: 'compaction', hides: [[1, 10]], shows: [] }
  const before = play([overlay], reduceLog(EMPTY_SNAPSHOT, entries), entries.length + 1)
  const looked = looks()
  const sequences = countReads(before, () => play([started, user('u'), reply('a'), ended], before, entries.length + 2))
  expect([looks() - looked, sequences]).toEqual([0, 0])
})

/** How often a function looks where in the log an old message stands. */
function countReads(snapshot: Snapshot, work: () => void): number {
  let reads = 0
  for (const logged of snapshot.source.messages) {
    const { sequence } = logged
    const get = (): number => {
      reads += 1
      return sequence
    }
    Object.defineProperty(logged, 'sequence', { get, enumerable: true })
  }
  work()
  return reads
}

/** How many items are copied out of lists and maps while a function runs. */
function countCopies(work: () => void): number {
  let copies = 0
  const restore = [Array.prototype, Map.prototype].map((prototype) => {
    const original = prototype[Symbol.iterator]
    // Stands in for the platform's own iterator, of which only `next` is ever used here.
    const counting = function* (this: unknown): Generator<unknown> {
      const inner = Reflect.apply(original as () => Iterator<unknown>, this, [])
      for (let next = inner.next(); !next.done; next = inner.next()) {
        copies += 1
        yield next.value
      }
    }
    Object.defineProperty(prototype, Symbol.iterator, { value: counting, configurable: true, writable: true })
    return () =>
      Object.defineProperty(prototype, Symbol.iterator, { value: original, configurable: true, writable: true })
  })
  try {
    work()
  } finally {
    for (const undo of restore) undo()
  }
  return copies
}

test('a log twice as long takes twice the work to take in, not four times', () => {
  const [short, long] = [longLog(200).entries, longLog(400).entries]
  const small = countCopies(() => void reduceLog(EMPTY_SNAPSHOT, short))
  const large = countCopies(() => void reduceLog(EMPTY_SNAPSHOT, long))
  expect(small).toBeGreaterThan(1000)
  expect(large).toBeLessThan(small * 2.2)
})

test('taking in a whole log is the same as taking its entries one by one', () => {
  const { entries } = longLog(80)
  const whole = reduceLog(EMPTY_SNAPSHOT, entries)
  const stepwise = entries.reduce(reduce, EMPTY_SNAPSHOT)
  expect({ ...whole, calls: [...whole.calls] }).toEqual({ ...stepwise, calls: [...stepwise.calls] })
})
