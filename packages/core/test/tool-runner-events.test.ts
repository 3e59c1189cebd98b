import { createAgent, isEntry, type ModelEvent, type ToolRunner, type TurnEvent, tool } from '@turnloop/core'
import { deafTool, deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, counter, echo, say } from './loop-setup.ts'
import { idle, startTurn, warnings } from './turn-setup.ts'

/** Read until an event of this type has come. */
async function readUntil(events: AsyncIterator<TurnEvent>, type: TurnEvent['type']): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for (;;) {
    const { value, done } = await events.next()
    if (done) return seen
    seen.push(value)
    if (value.type === type) return seen
  }
}

function deltas(events: readonly TurnEvent[]): [string, string][] {
  return events.flatMap((event): [string, string][] => ('delta' in event ? [[event.type, event.delta]] : []))
}

/** A turn whose model streams this in one go, and the events that a reader finds who asks for nothing meanwhile. */
async function readLate(stream: readonly ModelEvent[]): Promise<TurnEvent[]> {
  const said = deferred()
  const script = [{ events: [...stream, { type: 'finish', stopReason: 'endTurn' } as const] }]
  const model = scriptedModel(script, { beforeEvent: ({ type }) => (type === 'finish' ? said.resolve() : undefined) })
  const events = createAgent({ model }).turn('Hello').events()[Symbol.asyncIterator]()
  await readUntil(events, 'iteration-started')
  await said.promise
  await idle()
  return readUntil(events, 'turn-ended')
}

describe('the last event', () => {
  const turns: Record<string, () => ToolRunner> = {
    completed: () => createAgent({ model: scriptedModel(['Fine.']) }).turn('Hello'),
    failed: () => createAgent({ model: scriptedModel([{ throws: new Error('down') }]) }).turn('Hello'),
    cancelled: () => createAgent({ model: scriptedModel([]) }).turn('Hello', { signal: AbortSignal.abort() }),
    blocked: () => createAgent({ model: scriptedModel([{ text: 'No.', stopReason: 'safety' }]) }).turn('Hello'),
  }

  test.each(Object.entries(turns))(
    'of a turn that ends %s is turn-ended, and the view never throws',
    async (kind, start) => {
      const turn = start()
      const events = await collect(turn.events())
      expect(events.filter(({ type }) => type === 'turn-ended')).toEqual([events.at(-1)])
      expect([events.at(-1)?.type, turn.outcome?.kind]).toEqual(['turn-ended', kind])
    },
  )

  test('is turn-ended although onEvent throws on it', async () => {
    const onEvent = ({ type }: TurnEvent): void => {
      if (type === 'turn-ended') throw new Error('broken listener')
    }
    const events = await collect(
      createAgent({ model: scriptedModel(['Fine.']) })
        .turn('Hello', { onEvent })
        .events(),
    )
    expect([events.at(-1)?.type, warnings(events)]).toEqual(['turn-ended', ['onEvent threw: broken listener']])
  })
})

describe('onEvent', () => {
  test('hears what the event view shows, as the same objects', async () => {
    const heard: TurnEvent[] = []
    const model = scriptedModel([{ calls: [say('a')] }, 'Said.'])
    const turn = createAgent({ model, tools: [echo] }).turn('Say a', { onEvent: (event) => heard.push(event) })
    const facts = (await collect(turn.events())).filter(isEntry)
    expect(heard.filter(isEntry)).toHaveLength(facts.length)
    expect(heard.filter(isEntry).every((entry, index) => entry === facts[index])).toBe(true)
  })

  test('that throws at everything becomes one warning', async () => {
    const onEvent = (): never => {
      throw new Error('broken listener')
    }
    const turn = createAgent({ model: scriptedModel(['Fine.']) }).turn('Hello', { onEvent })
    const events = await collect(turn.events())
    expect([warnings(events), turn.outcome]).toEqual([['onEvent threw: broken listener'], { kind: 'completed' }])
  })

  test('that is async and rejects becomes one warning', async () => {
    const wait = deferred()
    const pause = tool({ name: 'pause', description: 'Waits', effect: 'read', execute: () => wait.promise })
    const model = scriptedModel([{ calls: [{ name: 'pause' }] }, 'Done.'])
    const onEvent = async (event: TurnEvent): Promise<void> => {
      if (event.type === 'tool-started') throw new Error('saving failed')
    }
    const turn = createAgent({ model, tools: [pause] }).turn('Wait', { onEvent })
    const reading = collect(turn.events())
    await idle()
    wait.resolve()
    expect(warnings(await reading)).toEqual(['onEvent threw: saving failed'])
  })
})

test('next calls made at once are answered in order', async () => {
  const turn = createAgent({ model: scriptedModel(['Fine.']) }).turn('Hello')
  const events = turn.events()[Symbol.asyncIterator]()
  const results = await Promise.all(Array.from({ length: 12 }, () => events.next()))
  const types = results.map(({ value }) => value?.type)
  expect(types.slice(0, 3)).toEqual(['turn-started', 'message', 'iteration-started'])
  expect(types.lastIndexOf('turn-ended')).toBe(types.indexOf(undefined) - 1)
})

describe('a slow reader', () => {
  test('gets the undelivered deltas of a part as one', async () => {
    const text = { type: 'text-delta', id: 't', delta: 'ab' } as const
    expect(deltas(await readLate([text, text, text]))).toEqual([['text-delta', 'ababab']])
  })

  test('gets one delta per part although parts grow in turns', async () => {
    const both = [
      { type: 'text-delta', id: 't', delta: 'a' },
      { type: 'reasoning-delta', id: 'r', delta: 'b' },
    ] as const
    const seen = deltas(await readLate(Array.from({ length: 1000 }, () => both).flat()))
    expect(seen).toEqual([
      ['text-delta', 'a'.repeat(1000)],
      ['reasoning-delta', 'b'.repeat(1000)],
    ])
  })

  test('holds a handful of events after 100,000 deltas', async () => {
    const delta = { type: 'text-delta', id: 't', delta: 'word ' } as const
    const seen = await readLate(Array.from({ length: 100_000 }, () => delta))
    expect(seen.map(({ type }) => type)).toEqual(['model-started', 'text-delta', 'message', 'checkpoint', 'turn-ended'])
    expect(deltas(seen)[0]?.[1]).toHaveLength(500_000)
  })

  test('gets the newest progress of each call, in its place', async () => {
    const wait = [deferred(), deferred()]
    const count = (name: string, at: number) =>
      tool({
        name,
        description: 'Counts',
        effect: 'read',
        execute: async (_input, { progress }) => {
          for (let step = 1; step <= 100; step += 1) progress(`${name} ${step}`)
          await wait[at]?.promise
          progress(`${name} last`)
        },
      })
    const model = scriptedModel([{ calls: [{ name: 'one' }, { name: 'two' }] }, 'Done.'])
    const turn = createAgent({ model, tools: [count('one', 0), count('two', 1)] }).turn('Count')
    const events = turn.events()[Symbol.asyncIterator]()
    await readUntil(events, 'tool-started')
    await idle()
    wait[0]?.resolve()
    await idle()
    wait[1]?.resolve()
    await idle()
    const rest = await readUntil(events, 'turn-ended')
    const updates = rest.flatMap((event) => (event.type === 'tool-progress' ? [event.update] : []))
    expect(updates).toEqual(['one last', 'two last'])
    expectInOrder(rest)
  })

  test('stops the machine: nothing happens until it asks again', async () => {
    const tick = counter('tick')
    const model = scriptedModel([{ calls: [{ name: 'tick' }] }, { calls: [{ name: 'tick' }] }, 'Ticked.'])
    const { turn, log } = startTurn(createAgent({ model, tools: [tick.tool] }), 'Tick')
    const events = turn.events()[Symbol.asyncIterator]()
    await readUntil(events, 'checkpoint')
    await idle()
    expect([tick.runs, model.requests.length, log.entries.length]).toEqual([0, 1, 4])
    await readUntil(events, 'checkpoint')
    await idle()
    expect([tick.runs, model.requests.length, log.entries.length]).toEqual([1, 1, 8])
  })
})

/** Facts without a gap, and each live event after the fact it follows. */
function expectInOrder(events: readonly TurnEvent[]): void {
  const places = events.map((event) => (isEntry(event) ? event.sequence : event.after))
  expect(places).toEqual([...places].sort((a, b) => a - b))
}

describe('leaving the event view', () => {
  test('before its first next leaves no text behind', async () => {
    const { turn, log } = startTurn(createAgent({ model: scriptedModel([]) }), 'Secret')
    await turn.events()[Symbol.asyncIterator]().return?.()
    expect(log.entries.map(({ type }) => type)).toEqual(['turn-started', 'turn-ended'])
    expect(turn.outcome).toMatchObject({ kind: 'cancelled', input: [{ type: 'text', text: 'Secret' }] })
  })

  test('answers a waiting next and has no further event', async () => {
    const turn = createAgent({ model: scriptedModel([{ text: 'Half', hang: true }]) }).turn('Hello')
    const events = turn.events()[Symbol.asyncIterator]()
    await readUntil(events, 'text-delta')
    const waiting = events.next()
    await events.return?.()
    await waiting
    expect((await events.next()).done).toBe(true)
    expect(turn.outcome?.kind).toBe('cancelled')
  })

  test('while a deaf tool runs takes the grace time', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const model = scriptedModel([{ calls: [{ name: 'deaf' }] }])
    const turn = createAgent({ model, tools: [deaf], clock, graceMs: 300 }).turn('Wait')
    const events = turn.events()[Symbol.asyncIterator]()
    await readUntil(events, 'tool-started')
    await deaf.started
    const leaving = events.return?.()
    await clock.advance(299)
    expect(turn.outcome).toBeUndefined()
    await clock.advance(1)
    await leaving
    expect(turn.outcome?.kind).toBe('cancelled')
  })

  test('by throw cancels and comes back to its caller', async () => {
    const turn = createAgent({ model: scriptedModel(['Fine.']) }).turn('Hello')
    const events = turn.events()[Symbol.asyncIterator]()
    await events.next()
    await expect(events.throw?.(new Error('enough'))).rejects.toThrow('enough')
    expect(turn.outcome?.kind).toBe('cancelled')
  })
})

test('events and entries are in one order without a gap', async () => {
  const model = scriptedModel([{ text: 'Both.', calls: [say('a'), say('b')] }, 'Said.'])
  const { turn, log } = startTurn(createAgent({ model, tools: [echo] }), 'Say a and b')
  const events = await collect(turn.events())
  expectInOrder(events)
  expect(events.filter(isEntry)).toEqual(log.entries)
  expect(log.entries.map(({ sequence }) => sequence)).toEqual(log.entries.map((_entry, index) => index + 1))
})
