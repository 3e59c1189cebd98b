import {
  type Agent,
  type Entry,
  MemoryStore,
  openSession,
  type Session,
  type SessionInput,
  type SessionStore,
  type Snapshot,
  TurnloopError,
} from '@turnloop/core'
import { assertHistory } from './check-history.ts'
import { type MemoryTab, memoryTabs } from './memory-tabs.ts'
import type { ContractCase } from './store-contract.ts'

/** What a crash matrix runs. */
export interface CrashMatrixOptions {
  /** Make what outlives the pages of one case: whatever the tools change. Called once per case, and once before all. */
  createWorld(): CrashWorld
  /** Make an empty store for one case. Default: a `MemoryStore`. */
  createStore?(): Promise<SessionStore>
  /** What is sent. Default `'Go'`. */
  input?: SessionInput
  /** What is sent after the reload, to see that the conversation goes on. Default: nothing. */
  followUp?: SessionInput
}

/** What outlives a page. */
export interface CrashWorld {
  /**
   * An agent for one page, with a model and a clock of its own; `manualClock()` keeps a page that is gone from going on
   * in the background. The model must answer by what it is asked, for it may be asked again.
   */
  createAgent(): Agent
  /** The `callId` of every time that an unsafe tool took effect. None of them may be there twice. */
  unsafeEffects?(): readonly string[]
  /** Look at what became of it in the end; throw if it is wrong. */
  check?(end: { readonly snapshot: Snapshot; readonly entries: readonly Entry[] }): void
}

/**
 * The cases in which a page dies at one of its saves, before or after that is stored, and another page opens the session.
 *
 * Runs the turn once without a crash, to count the saves, then gives two cases for each of them; give `name` and `run` to
 * any test runner. A case rejects with what is wrong: the turn has not ended (if anything of it was stored) as it does
 * without the crash, an outcome in doubt apart; a call has not exactly one answer; the log has a gap; the history is
 * one that a provider refuses; an unsafe tool took effect twice; `check` or the follow-up failed. A case in which the turn
 * never ends runs into the time limit of the runner.
 */
export async function crashMatrix(options: CrashMatrixOptions): Promise<ContractCase[]> {
  const whole = await runWhole(options)
  const places = Array.from({ length: whole.saves }, (_, index) => index + 1)
  return places.flatMap((at) =>
    [false, true].map((isStored) => ({
      name: `a page dies at save ${at} of ${whole.saves}, ${isStored ? 'which is stored' : 'which is not stored'}`,
      run: () => runCut(options, { at, isStored }, whole.text),
    })),
  )
}

interface Death {
  readonly at: number
  readonly isStored: boolean
}

async function runWhole(options: CrashMatrixOptions): Promise<{ saves: number; text: string }> {
  const tabs = memoryTabs({ disk: (await options.createStore?.()) ?? new MemoryStore() })
  let saves = 0
  const store = watchSaves(tabs.open(), async (go) => {
    saves += 1
    await go()
  })
  const session = openSession({ agent: options.createWorld().createAgent(), store, id: 'session' })
  const { text } = await session.send(options.input ?? 'Go')
  await session.flush()
  await session.close()
  return { saves, text }
}

async function runCut(options: CrashMatrixOptions, death: Death, text: string): Promise<void> {
  const world = options.createWorld()
  const tabs = memoryTabs({ disk: (await options.createStore?.()) ?? new MemoryStore() })
  await liveUntil(death, tabs.open(), (store) => {
    const session = openSession({ agent: world.createAgent(), store, id: 'session' })
    // The page is gone before it could hear of it.
    session.send(options.input ?? 'Go').catch(() => {})
  })
  const session = openSession({ agent: world.createAgent(), store: tabs.open().store, id: 'session' })
  const snapshot = await untilIdle(session)
  const entries = session.getEntries()
  checkEnd({ snapshot, entries, text })
  checkEffects(world.unsafeEffects?.() ?? [])
  world.check?.({ snapshot, entries })
  if (options.followUp !== undefined) {
    const { outcome, messages } = await session.send(options.followUp)
    if (outcome.kind !== 'completed') throw wrong(`the follow-up ended ${outcome.kind}`)
    assertHistory(messages)
  }
  await session.close()
}

/** Run a page until it dies, in the middle of a save. */
function liveUntil(death: Death, tab: MemoryTab, run: (store: SessionStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let saves = 0
    const store = watchSaves(tab, async (go) => {
      saves += 1
      if (saves < death.at) return go()
      if (saves === death.at && death.isStored) await go().catch(reject)
      tab.crash()
      resolve()
      return new Promise(() => {})
    })
    run(store)
  })
}

function watchSaves({ store }: MemoryTab, around: (go: () => Promise<void>) => Promise<void>): MemoryTab['store'] {
  return { ...store, append: (...save) => around(() => store.append(...save)) }
}

function untilIdle(session: Session): Promise<Snapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = session.getSnapshot()
      if (snapshot.status !== 'idle' && snapshot.status !== 'awaiting') return
      stop()
      resolve(snapshot)
    }
    const stop = session.subscribe(look)
    look()
  })
}

function checkEnd({ snapshot, entries, text }: { snapshot: Snapshot; entries: readonly Entry[]; text: string }): void {
  if (entries.some(({ sequence }, index) => sequence !== index + 1)) throw wrong('the log has a gap')
  assertHistory(snapshot.messages)
  checkAnswers(entries)
  // Nothing of the turn was stored: nobody knows that there was one.
  if (entries.length === 0) return
  const ends = entries.filter((entry) => entry.type === 'turn-ended' && entry.path === undefined)
  if (ends.length !== 1) throw wrong(`the turn has ${ends.length} ends`)
  const isInDoubt = entries.some((entry) => entry.type === 'tool-settled' && entry.status === 'unknown')
  const last = lastText(snapshot)
  if (!isInDoubt && last !== text) throw wrong(`the turn says "${last}" in the end, and "${text}" without a crash`)
}

function checkAnswers(entries: readonly Entry[]): void {
  const answered = new Set<string>()
  for (const entry of entries) {
    if (entry.type !== 'tool-settled' || entry.late) continue
    if (answered.has(entry.callId)) throw wrong(`call ${entry.callId} of ${entry.toolName} has two answers`)
    answered.add(entry.callId)
  }
  for (const entry of entries) {
    if (entry.type !== 'tool-started' || answered.has(entry.callId)) continue
    throw wrong(`call ${entry.callId} of ${entry.toolName} has no answer`)
  }
}

function checkEffects(effects: readonly string[]): void {
  const twice = effects.find((callId, index) => effects.indexOf(callId) !== index)
  if (twice !== undefined) throw wrong(`the unsafe call ${twice} took effect twice`)
}

function lastText({ messages }: Snapshot): string {
  const last = messages.findLast(({ role }) => role === 'assistant')
  return last?.role === 'assistant' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
}

function wrong(what: string): TurnloopError {
  return new TurnloopError('internal', `After the crash ${what}.`)
}
