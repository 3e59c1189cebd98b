import { createAgent, defineHooks, MemoryStore, openSession } from '@turnloop/core'
import { assertHistory, deafTool, deferred, scriptedModel } from '@turnloop/testing'
import { describe, expect, test, vi } from 'vitest'
import { outline } from './loop-setup.ts'
import {
  logFaults,
  openGated,
  openPage,
  type Page,
  repeat,
  shown,
  text,
  until,
  untilAsked,
  untilIdle,
} from './session-setup.ts'

/** The id of the nth message that is shown. */
function idOf({ session }: Pick<Page, 'session'>, index: number): string {
  return session.getSnapshot().messages.at(index)?.id ?? ''
}

/** A page on which two questions were answered. */
async function openTwo(store = new MemoryStore()): Promise<Page> {
  const page = openPage(repeat, { store })
  await page.session.send('one')
  await page.session.send('two')
  return page
}

describe('edit', () => {
  test('puts a new question in the place of one and of all after it', async () => {
    const page = await openTwo()
    const result = await page.session.edit(idOf(page, 0), 'uno')
    expect([result.text, result.outcome.kind]).toEqual(['You said uno', 'completed'])
    expect(shown(page.session)).toEqual(['user: uno', 'assistant: You said uno'])
    expect(outline(page.model.requests.at(-1)?.messages ?? [])).toEqual(['user: uno'])
    expect(page.session.getEntries().filter(({ type }) => type === 'message')).toHaveLength(6)
  })

  test('of the last question keeps what came before', async () => {
    const page = await openTwo()
    const result = await page.session.edit(idOf(page, 2), 'due')
    assertHistory(result.messages)
    expect(shown(page.session)).toEqual([
      'user: one',
      'assistant: You said one',
      'user: due',
      'assistant: You said due',
    ])
  })

  test('of an edited question replaces that edit', async () => {
    const page = await openTwo()
    await page.session.edit(idOf(page, 2), 'due')
    await page.session.edit(idOf(page, 2), 'zwei')
    expect(shown(page.session).slice(2)).toEqual(['user: zwei', 'assistant: You said zwei'])
  })

  test('takes the state back to what it was before that question', async () => {
    const count = defineHooks({
      preHooks: [
        (context) => {
          context.state = { ...context.state, n: Number(context.state.n ?? 0) + 1 }
        },
      ],
    })
    const page = openPage(repeat, { hooks: count })
    await page.session.send('one')
    await page.session.send('two')
    await page.session.edit(idOf(page, 0), 'uno')
    expect(page.session.getSnapshot().state).toEqual({ n: 1 })
  })

  test('stops what runs and goes before what waits', async () => {
    const page = openGated()
    const { session } = page
    const turn = session.send('one')
    await untilAsked(session)
    const later = session.send('later')
    const edited = session.edit(idOf(page, 0), 'uno')
    expect((await turn).outcome.kind).toBe('cancelled')
    expect([(await edited).text, (await later).text]).toEqual(['You said uno', 'You said later'])
    expect(logFaults(session.getEntries())).toEqual([])
  })

  test('takes the place of one that waits for what runs to end', async () => {
    const page = openGated()
    const { session } = page
    session.send('one').catch(() => {})
    await untilAsked(session)
    const id = idOf(page, 0)
    const [first, again, last] = [session.edit(id, 'uno'), session.regenerate(), session.edit(id, 'due')]
    expect((await last).text).toBe('You said due')
    expect((await first).outcome).toMatchObject({ kind: 'cancelled', input: text('uno') })
    expect((await again).outcome.kind).toBe('cancelled')
    expect([shown(session), page.model.requests.length]).toEqual([['user: due', 'assistant: You said due'], 2])
  })

  test('of what steered a turn keeps what that had done by then', async () => {
    const look = deafTool({ name: 'look', effect: 'read' })
    const page = openPage(
      (request) =>
        request.messages.some(({ role }) => role === 'tool') ? repeat(request) : { calls: [{ name: 'look' }] },
      { tools: [look] },
    )
    const turn = page.session.send('one')
    await look.started
    page.session.send('two', { whenBusy: 'steer' }).catch(() => {})
    await until(page.session, ({ queue }) => queue.length === 1)
    look.release('seen')
    await turn
    const result = await page.session.edit(idOf(page, 3), 'due')
    assertHistory(result.messages)
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
    expect([result.text, look.calls.length]).toEqual(['You said due', 1])
  })

  test('answers what people were asked as not allowed', async () => {
    const pay = { ...deafTool({ name: 'pay' }), needsApproval: () => true }
    const page = openPage((request, index) => (index === 0 ? { calls: [{ name: 'pay' }] } : repeat(request)), {
      tools: [pay],
    })
    expect((await page.session.send('one')).outcome.kind).toBe('awaiting')
    expect((await page.session.edit(idOf(page, 0), 'uno')).text).toBe('You said uno')
    expect([shown(page.session), pay.calls.length]).toEqual([['user: uno', 'assistant: You said uno'], 0])
  })

  test.each([1, 9])('of message %i, which is no question, is refused', async (index) => {
    const page = await openTwo()
    await expect(page.session.edit(idOf(page, index), 'x')).rejects.toMatchObject({ code: 'bad-input' })
    expect(page.model.requests).toHaveLength(2)
  })

  test('loads as it was shown', async () => {
    const store = new MemoryStore()
    const page = await openTwo(store)
    await page.session.edit(idOf(page, 2), 'due')
    await page.session.close()
    const again = openPage([], { store })
    await untilIdle(again.session)
    expect(shown(again.session)).toEqual(shown(page.session))
  })

  test('and what it leaves behind are stored in one append', async () => {
    const store = new MemoryStore()
    const page = await openTwo(store)
    const batches: string[][] = []
    const append = store.append.bind(store)
    store.append = (id, entries, options) => {
      batches.push(entries.map(({ type }) => type))
      return append(id, entries, options)
    }
    await page.session.edit(idOf(page, 0), 'uno')
    expect(batches.find((types) => types.includes('rewound'))).toEqual(['rewound', 'turn-started', 'message'])
  })

  test('that waits for its hooks is asked after a crash, in its place', async () => {
    const store = new MemoryStore()
    await (await openTwo(store)).session.close()
    const entered = deferred()
    const hangs = defineHooks({
      preHooks: [
        async () => {
          entered.resolve()
          await new Promise(() => {})
        },
      ],
    })
    const page = openPage([], { store, hooks: hangs })
    await untilIdle(page.session)
    page.session.edit(idOf(page, 0), 'uno').catch(() => {})
    await entered.promise
    await page.session.flush()
    // The page dies here. Another one, without those hooks, goes on.
    const agent = createAgent({ model: scriptedModel(repeat) })
    const again = openSession({ agent, store, id: 's' })
    await until(again, ({ messages, status }) => status === 'idle' && messages.length === 2)
    expect(shown(again)).toEqual(['user: uno', 'assistant: You said uno'])
  })
})

describe('regenerate', () => {
  test('puts a new answer in the place of the last', async () => {
    const page = openPage((_request, index) => `Answer ${index}.`)
    await page.session.send('one')
    expect((await page.session.regenerate()).text).toBe('Answer 1.')
    expect(shown(page.session)).toEqual(['user: one', 'assistant: Answer 1.'])
    expect(outline(page.model.requests[1]?.messages ?? [])).toEqual(['user: one'])
    expect((await page.session.regenerate()).text).toBe('Answer 2.')
    expect(shown(page.session)).toEqual(['user: one', 'assistant: Answer 2.'])
  })

  test.each([0, 1])('of an earlier answer, named by message %i, drops what came after it', async (index) => {
    const page = await openTwo()
    const result = await page.session.regenerate(idOf(page, index))
    expect([result.text, shown(page.session)]).toEqual(['You said one', ['user: one', 'assistant: You said one']])
  })

  test('runs the tools of an answer again', async () => {
    const look = deafTool({ name: 'look', effect: 'read' })
    const page = openPage(
      ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'look' }] }),
      { tools: [look] },
    )
    const turn = page.session.send('one')
    await look.started
    look.release('seen')
    await turn
    const again = page.session.regenerate(idOf(page, -1))
    await vi.waitUntil(() => look.calls.length === 2)
    look.release('seen again')
    assertHistory((await again).messages)
    expect([look.calls.length, shown(page.session).length]).toEqual([2, 4])
  })

  test('of a turn that was tried again asks what that was asked', async () => {
    const page = openPage((_request, index) => `Answer ${index}.`)
    await page.session.send('one')
    await page.session.retry()
    await page.session.regenerate(idOf(page, -1))
    expect(shown(page.session)).toEqual(['user: one', 'assistant: Answer 2.'])
  })

  test('stops an answer that still grows', async () => {
    const page = openGated()
    const turn = page.session.send('one')
    await untilAsked(page.session)
    const again = page.session.regenerate()
    expect((await turn).outcome.kind).toBe('cancelled')
    expect([(await again).text, shown(page.session)]).toEqual([
      'You said one',
      ['user: one', 'assistant: You said one'],
    ])
  })

  test('of nothing is refused', async () => {
    const { session } = openPage([])
    await expect(session.regenerate()).rejects.toMatchObject({ code: 'bad-input' })
    await expect(session.regenerate('unknown')).rejects.toMatchObject({ code: 'bad-input' })
    expect(session.getEntries()).toEqual([])
  })
})
