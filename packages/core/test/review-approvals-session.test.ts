import { type AgentOptions, createAgent, MemoryStore, openSession, type Session, type Tool } from '@turnloop/core'
import { manualClock, type Script, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { guarded, wipeCall } from './approvals-setup.ts'
import { type FaultyStore, faultyStore, hang, waitFor } from './faulty-store.ts'
import { outline } from './loop-setup.ts'
import { settled } from './matrix-points.ts'
import { until, untilIdle } from './session-setup.ts'

interface Options extends Partial<AgentOptions> {
  readonly store?: MemoryStore | FaultyStore
  readonly resume?: 'auto' | 'manual'
  readonly tools?: readonly Tool[]
}

function page(script: Script, { store = new MemoryStore(), resume = 'auto', ...options }: Options = {}) {
  const { wipe, deeds } = guarded()
  const clock = manualClock()
  const model = scriptedModel(script)
  const agent = createAgent({ model, tools: [wipe], clock, ...options })
  return { model, deeds, store, clock, agent, session: openSession({ agent, store, id: 's', resume }) }
}

const idsOf = (session: Session): string[] => session.getSnapshot().pending.map(({ id }) => id)
const awaiting = (session: Session) => until(session, ({ status }) => status === 'awaiting')
const two = { calls: [wipeCall('a'), wipeCall('b')] }

/** A page that waits on a store, and its requests. */
async function waitingPage(script: Script = [{ calls: [wipeCall()] }, 'Done.'], options: Options = {}) {
  const here = page(script, options)
  const result = await here.session.send('Go')
  const [id = ''] = idsOf(here.session)
  return { ...here, id, result }
}

describe('what comes between leaves a session waiting', () => {
  test('a task', async () => {
    const { session } = await waitingPage()
    await expect(session.compact()).rejects.toMatchObject({ code: 'session-busy' })
    expect(session.getSnapshot()).toMatchObject({ status: 'awaiting', pending: [{ toolName: 'wipe' }] })
  })

  test('an input that is stopped before it begins', async () => {
    const store = faultyStore()
    const { session, clock } = await waitingPage(undefined, { store })
    const host = new AbortController()
    store.breakNext('claim', hang)
    const sent = session.send('More', { signal: host.signal })
    host.abort()
    await clock.advance(0)
    expect((await sent).outcome.kind).toBe('cancelled')
    expect(session.getSnapshot()).toMatchObject({ status: 'awaiting', pending: [{ toolName: 'wipe' }] })
  })

  test('a reload that resumes by hand', async () => {
    const first = await waitingPage()
    await first.session.close()
    const second = page(['Done.'], { store: first.store, resume: 'manual' })
    await second.session.flush()
    const { status, resumable } = second.session.getSnapshot()
    expect([status, resumable]).toEqual(['awaiting', undefined])
    await second.session.approve(first.id)
    await untilIdle(second.session)
    expect(second.deeds).toHaveLength(1)
  })
})

test('a turn that was decided about and cut can be resumed by hand', async () => {
  const first = await waitingPage()
  const entries = first.session.getEntries()
  const turnId = entries[0]?.turnId ?? ''
  const more = { sequence: entries.length + 1, at: 0, turnId, type: 'approval-decided', id: first.id } as const
  const store = new MemoryStore()
  await store.append('s', [...entries, { ...more, allow: true, by: 'user' }])
  const { session, deeds } = page(['Done.'], { store, resume: 'manual' })
  await session.flush()
  expect(session.getSnapshot()).toMatchObject({ status: 'idle', resumable: true, pending: [] })
  expect([(await session.resume()).text, deeds.length]).toEqual(['Done.', 1])
})

describe('Stop', () => {
  test('is heard while the pause is being saved', async () => {
    const store = faultyStore()
    const { session, clock } = page([{ calls: [wipeCall()] }], { store })
    const sent = session.send('Go')
    await until(session, ({ pending }) => pending.length > 0)
    store.break('append', hang)
    await awaiting(session)
    const stopped = session.cancel()
    await clock.advance(800)
    store.mend()
    await clock.advance(5000)
    await Promise.all([stopped, sent])
    expect(session.getSnapshot()).toMatchObject({ status: 'idle', pending: [], outcome: { kind: 'cancelled' } })
  })

  test('holds back what waits behind the turn that waits', async () => {
    const { session, model } = page([{ calls: [wipeCall()] }, 'Later.'])
    const sent = session.send('Go')
    const later = session.send('Later')
    await sent
    expect(session.getSnapshot()).toMatchObject({ status: 'awaiting', queue: [{}] })
    await session.cancel()
    await settled()
    expect([session.getSnapshot().queue.length, model.requests.length]).toEqual([1, 1])
    await session.send('Now')
    expect((await later).text).toBe('Later.')
  })

  test('does not wait for a decision that cannot be saved', async () => {
    const store = faultyStore()
    const { session, id, deeds, clock } = await waitingPage(undefined, { store })
    store.break('append', hang)
    const approved = session.approve(id)
    await settled()
    let isOver = false
    const stopped = session.cancel().then(() => {
      isOver = true
    })
    await clock.advance(2 * 800)
    expect([isOver, deeds]).toEqual([true, []])
    await clock.advance(5000)
    await Promise.all([stopped, approved])
  })

  test('in the breath of a decision is heard, and the call is not run', async () => {
    for (const order of ['approve first', 'Stop first'] as const) {
      const { session, id, deeds } = await waitingPage()
      const ways = [() => session.approve(id).catch((error: unknown) => error), () => session.cancel()]
      if (order === 'Stop first') ways.reverse()
      await Promise.all(ways.map((go) => go()))
      await untilIdle(session)
      const last = outline(session.getSnapshot().messages).at(-1)
      expect([deeds, last, session.getSnapshot().outcome?.kind]).toEqual([[], 'tool: not-run', 'cancelled'])
    }
  })
})

describe('two pages', () => {
  test('the first decision counts, and the later one is refused', async () => {
    const first = await waitingPage()
    const second = page(['Done.'], { store: first.store })
    await awaiting(second.session)
    await second.session.deny(first.id, 'no')
    await untilIdle(second.session)
    await expect(first.session.approve(first.id)).rejects.toMatchObject({ code: 'bad-input' })
    await untilIdle(first.session)
    expect([first.deeds, second.deeds]).toEqual([[], []])
    expect(outline(first.session.getSnapshot().messages)).toEqual(outline(second.session.getSnapshot().messages))
  })

  test('a page that decides late goes on from what another has decided', async () => {
    const first = await waitingPage([two, 'Done.'])
    const second = page(['Done.'], { store: first.store })
    await awaiting(second.session)
    await second.session.deny(first.id)
    await awaiting(second.session)
    await expect(first.session.approve(first.id)).rejects.toMatchObject({ code: 'bad-input' })
    expect(idsOf(first.session)).toEqual(idsOf(second.session))
    await first.session.approve(idsOf(first.session)[0] ?? '')
    await untilIdle(first.session)
    expect([first.deeds, second.deeds]).toEqual([[{ draft: 'b' }], []])
  })

  test('a page that is overtaken shows that the conversation waits', async () => {
    const first = await waitingPage()
    const second = page([], { store: first.store })
    await awaiting(second.session)
    await second.session.rename('Two')
    await first.session.rename('One')
    await settled()
    expect(first.session.getSnapshot()).toMatchObject({ status: 'awaiting', pending: [{ id: first.id }] })
  })
})

test('approve rejects where the turn ended before it was heard', async () => {
  const store = faultyStore()
  const { session, id } = await waitingPage([{ calls: [wipeCall()] }, 'Next.'], { store })
  let open = (): void => {}
  store.breakNext('claim', waitFor(new Promise<void>((resolve) => (open = resolve))))
  const sent = session.send('Something else')
  const approved = expect(session.approve(id)).rejects.toMatchObject({ code: 'bad-input' })
  await settled()
  open()
  expect((await sent).text).toBe('Next.')
  await approved
})

test('the result of a session cannot be gone on with behind its back', async () => {
  const { result } = await waitingPage()
  expect([result.outcome.kind, result.resume]).toEqual(['awaiting', undefined])
})

test('a request is shown no longer once its call is answered without it', async () => {
  const first = await waitingPage([two])
  await first.session.close()
  const shown: number[] = []
  const script = (): string => {
    shown.push(idsOf(second.session).length)
    return 'Done.'
  }
  const second = page(script, { store: first.store, tools: [] })
  await awaiting(second.session)
  await second.session.deny(first.id)
  await untilIdle(second.session)
  expect(shown).toEqual([0])
})

test('retry while people are asked counts as not allowed, and asks again', async () => {
  const { session, deeds } = await waitingPage([{ calls: [wipeCall()] }, 'Again.'])
  expect((await session.retry()).text).toBe('Again.')
  expect([deeds, session.getSnapshot().status]).toEqual([[], 'idle'])
})
