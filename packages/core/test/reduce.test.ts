import type { EntryDraft } from '@turnloop/core'
import { expect, test } from 'vitest'
import {
  answers,
  callDelta,
  ended,
  ids,
  modelStarted,
  play,
  reply,
  settled,
  started,
  text,
  toolStarted,
  user,
} from './reduce-setup.ts'

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

test('a call that is heard of before its turn is one of its open calls', () => {
  const early = play([{ type: 'tool-progress', callId: 'c', update: 50 }])
  const snapshot = play([started, reply('a', 'c'), toolStarted('c')], early)
  expect([snapshot.turn?.openCalls, snapshot.calls.get('c')?.turnId]).toEqual([['c'], 't'])
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
