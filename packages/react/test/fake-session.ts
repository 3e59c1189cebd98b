import type { AssistantMessage, Session, Snapshot, TurnResult, UserMessage } from '@turnloop/core'
import { loadingSnapshot } from '../src/turn-view.ts'

/** A session that does what a test tells it to, and notes what it was asked. */
export interface FakeSession extends Session {
  /** Replace parts of the snapshot and tell the listeners, as a reducer would. */
  change(patch: Partial<Snapshot>): void
  /** Tell the listeners, though nothing has changed. */
  notify(): void
  /** Add text to the growing reply. */
  grow(delta: string): void
  /** End the turn: the growing reply becomes a closed message. */
  finish(): void
  /** Names of the commands that were called, with their first argument. */
  readonly asked: readonly string[]
  readonly listenerCount: number
}

export function fakeSession(id = 'a', initial: Partial<Snapshot> = { status: 'idle' }): FakeSession {
  let snapshot: Snapshot = { ...loadingSnapshot, ...initial }
  const listeners = new Set<() => void>()
  const asked: string[] = []

  const notify = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const replace = (next: Snapshot): void => {
    snapshot = next
    notify()
  }
  const change = (patch: Partial<Snapshot>): void => replace({ ...snapshot, ...patch })
  const ask = async (name: string, argument?: unknown): Promise<void> => {
    asked.push(argument === undefined ? name : `${name} ${JSON.stringify(argument)}`)
  }
  const turn = async (name: string, argument?: unknown): Promise<TurnResult> => {
    await ask(name, argument)
    return {
      turnId: '1',
      outcome: { kind: 'completed' },
      text: '',
      messages: [],
      usage: {},
      iterations: 0,
      hookErrors: [],
      evals: [],
      state: {},
    }
  }

  return {
    id,
    asked,
    get listenerCount() {
      return listeners.size
    },
    get status() {
      return snapshot.status
    },
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change,
    notify,
    grow(delta) {
      const text = textOf(snapshot.open) + delta
      change({ status: 'running', open: assistant(`reply-${snapshot.messages.length}`, text) })
    },
    finish() {
      const { open, ...rest } = snapshot
      replace({ ...rest, status: 'idle', messages: open ? [...rest.messages, open] : rest.messages })
    },
    async *events() {},
    getEntries: () => [],
    loadEarlier: (limit) => ask('loadEarlier', limit),
    send: (input) => turn('send', input),
    resume: () => turn('resume'),
    approve: (...given) => ask('approve', given),
    deny: (...given) => ask('deny', given),
    answer: (...given) => ask('answer', given),
    retry: () => turn('retry'),
    regenerate: (messageId) => turn('regenerate', messageId),
    edit: (...given) => turn('edit', given),
    cancel: (reason) => ask('cancel', reason),
    setAgent: (agent) => void ask('setAgent', agent.name),
    compact: async (options) => {
      await ask('compact', options)
      return NO_COMPACTION
    },
    previewCompaction: async () => NO_COMPACTION,
    setState: async () => {},
    checkpoints: async () => [],
    rewind: async () => {},
    fork: () => Promise.reject(new Error('not faked')),
    export: () => Promise.reject(new Error('not faked')),
    undoCompaction: () => ask('undoCompaction'),
    rename: (title) => ask('rename', title),
    erase: (messageId) => ask('erase', messageId),
    shorten: () => Promise.reject(new Error('not faked')),
    readBlob: async () => undefined,
    saveNow: () => void ask('saveNow'),
    addNote: async (content) => {
      await ask('addNote', content)
      return 'note'
    },
    editQueued: (queued) => ask('editQueued', queued),
    removeQueued: (queued) => ask('removeQueued', queued),
    flush: () => ask('flush'),
    async close(options) {
      await ask('close', options?.running)
      change({ status: 'closed' })
    },
  }
}

export function assistant(id: string, text: string): AssistantMessage {
  return { id, role: 'assistant', createdAt: 0, content: [{ type: 'text', text }], stopReason: 'endTurn' }
}

export function user(id: string, text: string): UserMessage {
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text }] }
}

function textOf(message: AssistantMessage | undefined): string {
  const [part] = message?.content ?? []
  return part?.type === 'text' ? part.text : ''
}

const NO_COMPACTION = { hidden: 0, kept: 0, tokensBefore: 0, tokensAfter: 0 }
