import { EMPTY_SNAPSHOT, type Session, type Snapshot } from '@turnloop/core'

/** The commands of a session, bound to it: each is the same function for as long as the page lives. */
export type TurnCommands<Output = unknown> = Omit<
  Session<Output>,
  'id' | 'status' | 'getSnapshot' | 'subscribe' | 'setAgent' | 'close'
>

/**
 * What a component sees of a session: the whole snapshot, the commands, and the session itself.
 *
 * `messages` has the growing reply last, so that `messages.map` just works; `open` says which one that is. A closed
 * message is the same object in every view, and the array is the same until one of its messages changes.
 */
export interface AgentTurn<Output = unknown> extends Snapshot, TurnCommands<Output> {
  /** Absent until the first commit: a render opens nothing. The commands work all the same, and open it. */
  readonly session?: Session<Output>
}

/** What is shown of a session that is not open yet: on a server, while hydrating, and in a first render. */
export const loadingSnapshot: Snapshot = {
  ...EMPTY_SNAPSHOT,
  status: 'loading',
  storage: { state: 'ready', waiting: 0 },
}

/** Bind commands to a session that is opened when one of them needs it. */
export function bindCommands(open: () => Session, current: () => Session | undefined): TurnCommands {
  return {
    send: (input, options) => open().send(input, options),
    loadEarlier: (limit) => open().loadEarlier(limit),
    resume: () => open().resume(),
    approve: (id, options) => open().approve(id, options),
    deny: (id, note) => open().deny(id, note),
    answer: (id, result) => open().answer(id, result),
    retry: () => open().retry(),
    regenerate: (messageId) => open().regenerate(messageId),
    edit: (messageId, input, options) => open().edit(messageId, input, options),
    compact: (options) => open().compact(options),
    previewCompaction: () => open().previewCompaction(),
    undoCompaction: () => open().undoCompaction(),
    setState: (patch) => open().setState(patch),
    checkpoints: () => open().checkpoints(),
    rewind: (checkpoint) => open().rewind(checkpoint),
    fork: (checkpoint) => open().fork(checkpoint),
    export: (options) => open().export(options),
    rename: (title) => open().rename(title),
    erase: (messageId) => open().erase(messageId),
    shorten: (options) => open().shorten(options),
    readBlob: (hash) => open().readBlob(hash),
    addNote: (content, options) => open().addNote(content, options),
    editQueued: (id, input) => open().editQueued(id, input),
    removeQueued: (id) => open().removeQueued(id),
    events: () => open().events(),
    // These open nothing: there would be nothing to cancel, to save or to show.
    cancel: async (reason) => current()?.cancel(reason),
    flush: async () => current()?.flush(),
    saveNow: () => current()?.saveNow(),
    getEntries: () => current()?.getEntries() ?? [],
  }
}
