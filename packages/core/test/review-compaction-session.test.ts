import { autoCompaction, type CompactionOptions, MemoryStore } from '@turnloop/core'
import { deferred, type ScriptStep } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { isSummaryRequest, summaryShape } from './compacted-setup.ts'
import { echo, say } from './loop-setup.ts'
import { kinds, openPage, type PageOptions, shown, untilIdle, waiting } from './session-setup.ts'
import { idle } from './turn-setup.ts'

const filler = 'words and words '.repeat(60)

/** A page whose session has talked for some turns. */
async function talked(options: PageOptions & { summary?: ScriptStep; rules?: CompactionOptions; turns?: number } = {}) {
  const { summary = 'Goals: help.', rules = {}, turns = 6, ...rest } = options
  const compaction = autoCompaction({ window: 100_000, ...rules })
  const page = openPage((request, index) => (isSummaryRequest(request) ? summary : `Reply ${index} ${filler}`), {
    compaction,
    ...rest,
  })
  for (let turn = 0; turn < turns; turn += 1) await page.session.send(`Question ${turn}`)
  return page
}

function overlays({ session }: Awaited<ReturnType<typeof talked>>): number {
  return kinds(session.getEntries()).filter((kind) => kind === 'overlay').length
}

/** What became of a promise: its value, or the code or name of its error. */
function endOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => {
    if (!(error instanceof Error)) return error
    return 'code' in error && typeof error.code === 'string' ? error.code : error.name
  })
}

describe('Stop', () => {
  test('ends a compaction whose strategy never answers', async () => {
    const page = await talked({ rules: { run: () => new Promise<never>(() => {}) } })
    const end = endOf(page.session.compact())
    await idle()
    const stopped = page.session.cancel()
    await page.clock.advance(20)
    await stopped
    expect([await end, page.session.getSnapshot().status, overlays(page)]).toEqual(['AbortError', 'idle', 0])
  })

  test('ends one whose store never answers: it is done, and saved behind', async () => {
    const store = new MemoryStore()
    const page = await talked({ store })
    await page.session.flush()
    store.append = () => new Promise(() => {})
    const end = endOf(page.session.compact())
    await idle()
    const stopped = page.session.cancel()
    await page.clock.advance(0)
    await stopped
    expect(await end).toMatchObject({ overlayId: expect.any(String) })
    expect([page.session.getSnapshot().status, overlays(page)]).toEqual(['idle', 1])
  })

  test('gives up a compaction that waits behind the turn', async () => {
    const page = await talked({
      beforeEvent: (_event, { request }) => (request === 6 ? new Promise(() => {}) : undefined),
    })
    const sent = page.session.send('One more')
    const end = endOf(page.session.compact())
    await idle()
    await page.session.cancel()
    expect([(await sent).outcome.kind, await end, page.model.requests.length]).toEqual(['cancelled', 'AbortError', 7])
  })
})

describe('what is held back', () => {
  test('after Stop stays so, and a compaction does not wait for it', async () => {
    const page = await talked({
      beforeEvent: (_event, { request }) => (request === 6 ? new Promise(() => {}) : undefined),
    })
    page.session.send('One more').catch(() => {})
    page.session.send('And another').catch(() => {})
    await idle()
    await page.session.cancel()
    const { hidden } = await page.session.compact()
    expect(hidden).toBeGreaterThan(0)
    expect([waiting(page.session.getSnapshot()), page.session.getSnapshot().status]).toEqual([['And another'], 'idle'])
  })

  test.each(['compact', 'undoCompaction'] as const)('a cut turn can still be resumed after %s', async (command) => {
    const store = new MemoryStore()
    const script = (): ScriptStep => ({ calls: [say('a')] })
    const hang = (_event: unknown, { request }: { request: number }) =>
      request === 1 ? new Promise<void>(() => {}) : undefined
    const first = openPage(script, { store, tools: [echo], beforeEvent: hang })
    first.session.send('Cut').catch(() => {})
    first.session.send('Behind it').catch(() => {})
    await idle()
    await first.session.flush()
    first.session.close({ running: 'leave' }).catch(() => {})
    const page = await talked({ store, tools: [echo], resume: 'manual', turns: 0 })
    expect(await endOf(page.session[command]())).toBe('session-busy')
    expect([page.session.getSnapshot().resumable !== undefined, page.model.requests.length]).toEqual([true, 0])
    expect(waiting(page.session.getSnapshot())).toEqual(['Behind it'])
    expect((await page.session.resume()).outcome.kind).toBe('completed')
  })
})

test('closing refuses a compaction that waits', async () => {
  const gate = deferred()
  const page = await talked({ beforeEvent: (_event, { request }) => (request === 6 ? gate.promise : undefined) })
  page.session.send('One more').catch(() => {})
  const end = endOf(page.session.compact())
  const closed = page.session.close()
  gate.resolve()
  await closed
  expect([await end, page.model.requests.length]).toEqual(['session-closed', 7])
})

test('a page that was overtaken has not compacted', async () => {
  const store = new MemoryStore()
  const gate = deferred()
  const page = await talked({ store, summary: { text: 'Goals: help.', gate: gate.promise } })
  const end = endOf(page.session.compact())
  await idle()
  const other = await talked({ store, turns: 1 })
  gate.resolve()
  expect(await end).toBe('stale-fence')
  await untilIdle(page.session)
  await idle()
  expect([shown(page.session), overlays(page)]).toEqual([shown(other.session), 0])
})

test('a reason that is no error is thrown as one', async () => {
  const page = await talked({ summary: { text: 'Goals', hang: 'until-abort' } })
  const compacting = page.session.compact()
  const end = compacting.catch((error: unknown) => error)
  await idle()
  await page.session.cancel('enough')
  expect(await end).toMatchObject({ name: 'AbortError', message: 'enough' })
})

test('a strategy that leaves all as it is hides nothing', async () => {
  const page = await talked({ rules: { run: ({ messages }) => messages } })
  const report = await page.session.compact()
  expect([report.hidden, report.kept, report.tokensAfter, overlays(page)]).toEqual([0, 12, report.tokensBefore, 0])
})

test('a store that is down keeps nobody from compacting, and gets it later', async () => {
  const store = new MemoryStore()
  const page = await talked({ store })
  await page.session.flush()
  const append = store.append.bind(store)
  store.append = () => Promise.reject(new Error('down'))
  await page.session.compact()
  expect(page.session.getSnapshot().storage).toMatchObject({ state: 'blocked', waiting: 1 })
  store.append = append
  await page.session.flush()
  expect(kinds(await store.read('s'))).toContain('overlay')
})

test('two compactions, taken back one by one after further turns, leave what was said', async () => {
  const store = new MemoryStore()
  const page = await talked({ store })
  await page.session.compact()
  await page.session.send('Between')
  await page.session.compact()
  await page.session.send('After')
  const compacted = summaryShape({ messages: page.session.getSnapshot().messages, tools: [] })
  await page.session.undoCompaction()
  await page.session.undoCompaction()
  const { messages, usage } = page.session.getSnapshot()
  const said = page.session.getEntries().flatMap((entry) => (entry.type === 'message' ? [entry.message] : []))
  expect([compacted[0], messages.map((message) => said.some((own) => own === message))]).toEqual([
    'summary',
    said.map(() => true),
  ])
  await page.session.close()
  const again = await talked({ store, turns: 0 })
  await untilIdle(again.session)
  expect([again.session.getSnapshot().messages, again.session.getSnapshot().usage]).toEqual([messages, usage])
})
