import {
  createAgent,
  type Entry,
  MemoryStore,
  openSession,
  type Session,
  type SessionStore,
  tool,
} from '@turnloop/core'
import { assertHistory, manualClock, type ScriptedModel, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'

/** Asks for three tools, then for one more, then answers from what they brought. */
function script(): ScriptedModel {
  return scriptedModel(({ messages }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool') {
      if (last.results.length === 3) return { text: 'And pay the rest.', calls: [{ name: 'pay', input: {} }] }
      return `Balance ${last.results.length === 1 ? 'settled' : 'odd'}.`
    }
    const asked = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : ''
    if (asked !== 'Settle') return 'You are welcome.'
    return { text: 'First the three.', calls: [{ name: 'look' }, { name: 'book' }, { name: 'pay' }] }
  })
}

interface World {
  readonly runs: Record<'look' | 'book' | 'pay', string[]>
  open(store: SessionStore): { session: Session; model: ScriptedModel }
}

/** What outlives a page: the tools' effects. Every page gets a model and a clock of its own. */
function createWorld(): World {
  const runs: World['runs'] = { look: [], book: [], pay: [] }
  const make = (name: keyof World['runs'], effect: 'read' | 'idempotent' | 'unsafe') =>
    tool({
      name,
      description: name,
      effect,
      execute: (_input, { idempotencyKey }) => {
        runs[name].push(idempotencyKey)
        return `${name} done`
      },
    })
  const tools = [make('look', 'read'), make('book', 'idempotent'), make('pay', 'unsafe')]
  return {
    runs,
    open(store) {
      const model = script()
      const agent = createAgent({ model, tools, clock: manualClock() })
      return { model, session: openSession({ agent, id: 's', store }) }
    },
  }
}

/** A page's view of a store that goes away for good at its nth append: answered by nobody, applied or not. */
function dyingStore(
  store: MemoryStore,
  death: { at: number; applied: boolean },
  onDeath: () => void,
  onAppend: () => void = () => {},
): SessionStore {
  let appends = 0
  const never = new Promise<never>(() => {})
  const alive = <T>(call: () => Promise<T>): Promise<T> => (appends >= death.at ? never : call())
  return {
    claim: (id) => alive(() => store.claim(id)),
    read: (id, options) => alive(() => store.read(id, options)),
    head: (id) => alive(() => store.head(id)),
    open: (id) => alive(() => store.open(id)),
    list: () => alive(() => store.list()),
    remove: (id) => alive(() => store.remove(id)),
    append: async (id, entries, options) => {
      if (appends >= death.at) return never
      appends += 1
      onAppend()
      if (appends < death.at) return store.append(id, entries, options)
      if (death.applied) await store.append(id, entries, options)
      onDeath()
      return never
    },
  }
}

async function countAppends(): Promise<{ appends: number; text: string }> {
  const store = new MemoryStore()
  let appends = 0
  const counting = dyingStore(
    store,
    { at: Number.POSITIVE_INFINITY, applied: true },
    () => {},
    () => {
      appends += 1
    },
  )
  const { session } = createWorld().open(counting)
  const { text } = await session.send('Settle')
  await session.flush()
  return { appends, text }
}

const whole = await countAppends()
const cells = Array.from({ length: whole.appends }, (_value, index) => index + 1).flatMap((at) => [
  { at, applied: false },
  { at, applied: true },
])
console.log(`crash matrix: ${cells.length} cells`)

test('an uninterrupted turn pays twice and ends with its answer', () => {
  expect(whole.text).toBe('Balance settled.')
})

test.each(cells)(
  'a page that dies at append $at (applied: $applied) loses nothing and pays nothing twice',
  async (cell) => {
    const world = createWorld()
    const disk = new MemoryStore()
    await new Promise<void>((resolve) => {
      const { session } = world.open(dyingStore(disk, cell, resolve))
      session.send('Settle').catch(() => {})
    })

    const { session, model } = world.open(disk)
    const after = await untilIdle(session)
    const entries = session.getEntries()
    expectEachPaymentOnce(world, entries)
    expect(new Set(world.runs.book).size).toBe(bookingsAsked(entries))
    if (after.messages.length > 0) expect(after.outcome?.kind).toBe('completed')
    assertHistory(after.messages)

    const next = await session.send('Thanks')
    expect([next.outcome.kind, next.text]).toEqual(['completed', 'You are welcome.'])
    expect(model.violations).toEqual([])
    assertHistory(next.messages)
  },
)

async function untilIdle(session: Session): Promise<ReturnType<Session['getSnapshot']>> {
  for (;;) {
    const snapshot = session.getSnapshot()
    if (snapshot.status === 'idle') return snapshot
    await new Promise<void>((resolve) => {
      const stop = session.subscribe(() => {
        stop()
        resolve()
      })
    })
  }
}

/** Every payment that ran was asked for, ran once, and has either its real result or one that says it is in doubt. */
function expectEachPaymentOnce(world: World, entries: readonly Entry[]): void {
  const payments = entries.filter((entry) => entry.type === 'tool-settled' && entry.toolName === 'pay')
  expect(new Set(world.runs.pay).size).toBe(world.runs.pay.length)
  for (const payment of payments) {
    if (payment.type !== 'tool-settled') continue
    const ran = world.runs.pay.includes(payment.callId)
    expect(ran ? ['ok', 'unknown'] : ['not-run', 'unknown']).toContain(payment.status)
  }
}

function bookingsAsked(entries: readonly Entry[]): number {
  return entries.filter((entry) => entry.type === 'tool-started' && entry.toolName === 'book' && entry.attempt === 1)
    .length
}
