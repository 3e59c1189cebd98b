import {
  type AgentOptions,
  agentTool,
  createAgent,
  type Decision,
  MemoryStore,
  openSession,
  type PendingRequest,
  type Snapshot,
  type Tool,
  type TurnResult,
  tool,
} from '@turnloop/core'
import { deferred, manualClock, type Script, type ScriptedModel, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isJsonObject } from '../src/json.ts'
import { guarded } from './approvals-setup.ts'
import { collect, echo, lastResultTexts, outline, say, toolNames } from './loop-setup.ts'

const wipeCall = { name: 'wipe', input: { draft: 'a' } }

function pendingOf(result: TurnResult<unknown>): readonly PendingRequest[] {
  return result.outcome.kind === 'awaiting' ? result.outcome.pending : []
}

async function paused(script: Script, tools: readonly Tool[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script)
  const result = await createAgent({ model, tools, ...options })
    .turn('Go')
    .untilDone()
  return { model, result, pending: pendingOf(result) }
}

/** Go on after a pause with one decision. */
async function decided(result: TurnResult<unknown>, decision: Omit<Decision, 'id'>): Promise<TurnResult<unknown>> {
  const [request] = pendingOf(result)
  const next = result.resume?.([{ id: request?.id ?? '', ...decision }])
  if (next === undefined) throw new Error('nothing to resume')
  return next.untilDone()
}

describe('a call that needs approval', () => {
  test('pauses the turn and shows what it would run with', async () => {
    const { wipe, deeds } = guarded()
    const { result, pending, model } = await paused([{ calls: [wipeCall] }], [wipe])
    expect(pending).toMatchObject([{ toolName: 'wipe', ask: 'approve', input: { draft: 'a' } }])
    expect([deeds, model.requests.length, result.outcome.kind]).toEqual([[], 1, 'awaiting'])
  })

  test('runs once it is allowed, and the turn goes on with its id', async () => {
    const { wipe, deeds } = guarded()
    const { result, model } = await paused([{ calls: [wipeCall] }, 'Done.'], [wipe])
    const end = await decided(result, { allow: true })
    expect([end.outcome.kind, end.text, end.turnId]).toEqual(['completed', 'Done.', result.turnId])
    expect([deeds, lastResultTexts(model.requests[1])]).toEqual([[{ draft: 'a' }], ['wiped']])
  })

  test('A7: is answered denied with the note when it is not', async () => {
    const { wipe, deeds } = guarded()
    const { result, model } = await paused([{ calls: [wipeCall] }, 'All right.'], [wipe])
    const end = await decided(result, { allow: false, note: 'not this one' })
    expect(lastResultTexts(model.requests[1])).toEqual([
      'A person did not allow this call. It was not run. They said: not this one',
    ])
    expect([deeds, outline(end.messages)[2]]).toEqual([[], 'tool: denied'])
  })

  test('runs with the arguments that a person put in place, checked', async () => {
    const { wipe, deeds } = guarded()
    const { result } = await paused([{ calls: [wipeCall] }, 'Done.'], [wipe])
    await decided(result, { allow: true, input: { draft: 'b' } })
    expect(deeds).toEqual([{ draft: 'b' }])
  })

  test('is not run with arguments of a person that do not fit', async () => {
    const { wipe, deeds } = guarded()
    const { result, model } = await paused([{ calls: [wipeCall] }, 'Done.'], [wipe])
    await decided(result, { allow: true, input: { draft: 5 } })
    expect([deeds, lastResultTexts(model.requests[1])[0]]).toEqual([[], expect.stringMatching(/draft/)])
  })

  test('A8: does not keep its siblings from running', async () => {
    const { wipe } = guarded()
    const { result, model } = await paused([{ calls: [wipeCall, say('meanwhile')] }, 'Done.'], [wipe, echo])
    const events = result.messages.at(-1)
    expect([events?.role, model.requests.length]).toEqual(['tool', 1])
    const end = await decided(result, { allow: true })
    expect(lastResultTexts(model.requests[1])).toEqual(['wiped', 'meanwhile'])
    expect(end.outcome.kind).toBe('completed')
  })

  test('one by one, keeps those behind it waiting', async () => {
    const { wipe } = guarded()
    const order: string[] = []
    const look = tool({ name: 'look', description: 'Looks', effect: 'read', execute: () => void order.push('look') })
    const { result, model } = await paused([{ calls: [wipeCall, { name: 'look' }] }, 'Done.'], [wipe, look], {
      toolExecution: 'sequential',
    })
    expect(order).toEqual([])
    await decided(result, { allow: true })
    expect([order, lastResultTexts(model.requests[1])[0]]).toEqual([['look'], 'wiped'])
  })

  test('is asked about only where the tool says so', async () => {
    const { wipe, deeds } = guarded({ needsApproval: (input) => isJsonObject(input) && input.draft === 'b' })
    const calls = ['a', 'b'].map((draft) => ({ name: 'wipe', input: { draft } }))
    const { pending } = await paused([{ calls }], [wipe])
    expect([deeds, pending.map(({ input }) => input)]).toEqual([[{ draft: 'a' }], [{ draft: 'b' }]])
  })

  test('is asked about where the condition throws', async () => {
    const { wipe } = guarded({
      needsApproval: () => {
        throw new Error('No idea.')
      },
    })
    expect((await paused([{ calls: [wipeCall] }], [wipe])).pending).toHaveLength(1)
  })

  test('Stop ends it while its condition hangs', async () => {
    const { wipe } = guarded({ needsApproval: () => new Promise<boolean>(() => {}) })
    const model = scriptedModel([{ calls: [wipeCall] }])
    const runner = createAgent({ model, tools: [wipe] }).turn('Go')
    for await (const event of runner.events()) if (event.type === 'checkpoint') setTimeout(() => runner.cancel())
    expect(runner.outcome?.kind).toBe('cancelled')
  })

  test('two of one batch are asked about at once and may be decided one after the other', async () => {
    const { wipe, deeds } = guarded()
    const calls = ['a', 'b'].map((draft) => ({ name: 'wipe', input: { draft } }))
    const { result, pending, model } = await paused([{ calls }, 'Done.'], [wipe])
    expect(pending).toHaveLength(2)
    const half = await decided(result, { allow: true })
    expect([half.outcome.kind, pendingOf(half), model.requests.length]).toEqual(['awaiting', [pending[1]], 1])
    const end = await decided(half, { allow: false })
    expect([deeds, lastResultTexts(model.requests[1]), end.outcome.kind]).toEqual([
      [{ draft: 'a' }],
      ['wiped', 'A person did not allow this call. It was not run.'],
      'completed',
    ])
  })

  test('a decision that nothing waits for is refused, and so is none', async () => {
    const { result } = await paused([{ calls: [wipeCall] }], [guarded().wipe])
    expect(() => result.resume?.([])).toThrow(expect.objectContaining({ code: 'bad-input' }))
    expect(() => result.resume?.([{ id: 'x', allow: true }])).toThrow(/waits for the decision/)
  })

  test('the last event of its run is turn-paused', async () => {
    const model = scriptedModel([{ calls: [wipeCall] }])
    const events = await collect(
      createAgent({ model, tools: [guarded().wipe] })
        .turn('Go')
        .events(),
    )
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['approval-requested', 'turn-paused'])
  })
})

describe('a tool without anything to run', () => {
  const askUser = tool({ name: 'askUser', description: 'Asks', input: z.object({ question: z.string() }) })
  const call = { name: 'askUser', input: { question: 'Which?' } }

  test('A8: is answered by the host', async () => {
    const { result, pending, model } = await paused([{ calls: [call, say('x')] }, 'Done.'], [askUser, echo])
    expect(pending).toMatchObject([{ ask: 'answer' }])
    await decided(result, { allow: true, result: { content: [{ type: 'text', text: 'The red one' }] } })
    expect(lastResultTexts(model.requests[1])).toEqual(['The red one', 'x'])
  })

  test('cannot be allowed without an answer', async () => {
    const { result } = await paused([{ calls: [call] }], [askUser])
    await expect(decided(result, { allow: true })).rejects.toMatchObject({ code: 'bad-input' })
  })
})

test('fields of a person are not shown to the model and join the arguments', async () => {
  const deeds: unknown[] = []
  const mail = tool({
    name: 'mail',
    description: 'Mails',
    input: z.object({ text: z.string(), to: z.string() }),
    askUser: ['to'],
    execute: (input) => void deeds.push(input),
  })
  const { result, pending, model } = await paused(
    [{ calls: [{ name: 'mail', input: { text: 'Hi' } }] }, 'Sent.'],
    [mail],
  )
  expect(model.requests[0]?.tools[0]?.inputSchema).toMatchObject({ required: ['text'], properties: { text: {} } })
  expect(JSON.stringify(model.requests[0]?.tools)).not.toMatch(/"to"/)
  expect(pending).toMatchObject([{ ask: 'fields', input: { text: 'Hi' } }])
  await decided(result, { allow: true, input: { to: 'Ann' } })
  expect(deeds).toEqual([{ text: 'Hi', to: 'Ann' }])
})

test('what the model puts into a field of a person is dropped', async () => {
  const { wipe, deeds } = guarded({ askUser: ['draft'], needsApproval: undefined } as never)
  const { result, model } = await paused([{ calls: [{ name: 'wipe', input: { draft: 'evil' } }] }, 'Done.'], [wipe])
  await decided(result, { allow: true, input: {} })
  expect([deeds, lastResultTexts(model.requests[1])[0]]).toEqual([[], expect.stringMatching(/draft/)])
})

test('a call of a nested agent pauses the turn that called it', async () => {
  const { wipe, deeds } = guarded()
  const inner = createAgent({ model: scriptedModel([{ calls: [wipeCall] }, 'Inner done.']), tools: [wipe] })
  const helper = agentTool(inner, { name: 'helper', description: 'Helps' })
  const ask = { calls: [{ name: 'helper', input: { task: 'x' } }] }
  const { result, pending, model } = await paused([ask, 'Outer done.'], [helper])
  expect(pending).toMatchObject([{ toolName: 'wipe', path: [expect.any(String)] }])
  const end = await decided(result, { allow: true })
  expect([end.text, deeds, lastResultTexts(model.requests[1])]).toEqual([
    'Outer done.',
    [{ draft: 'a' }],
    ['Inner done.'],
  ])
})

describe('a session', () => {
  function page(script: Script, options: { store?: MemoryStore; tools?: readonly Tool[] } = {}) {
    const { wipe, deeds } = guarded()
    const model: ScriptedModel = scriptedModel(script)
    const { store = new MemoryStore(), tools = [wipe, echo] } = options
    const agent = createAgent({ model, tools, clock: manualClock() })
    return { model, deeds, store, session: openSession({ agent, store, id: 's' }) }
  }
  const idOf = ({ session }: ReturnType<typeof page>): string => session.getSnapshot().pending[0]?.id ?? ''
  const until = ({ session }: ReturnType<typeof page>, isMeant: (now: Snapshot) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (isMeant(session.getSnapshot())) resolve()
      }
      session.subscribe(look)
      look()
    })
  const untilStatus = (here: ReturnType<typeof page>, meant: string): Promise<void> =>
    until(here, ({ status }) => status === meant)

  test('waits, shows what is asked, and goes on once it is allowed', async () => {
    const here = page([{ calls: [wipeCall] }, 'Done.'])
    const sent = await here.session.send('Go')
    expect([sent.outcome.kind, here.session.getSnapshot().status]).toEqual(['awaiting', 'awaiting'])
    expect(here.session.getSnapshot().pending).toMatchObject([{ toolName: 'wipe' }])
    await here.session.approve(idOf(here))
    await untilStatus(here, 'idle')
    expect(here.session.getSnapshot()).toMatchObject({ pending: [], outcome: { kind: 'completed' } })
    expect(here.deeds).toHaveLength(1)
  })

  test('A7: waits over a reload, and the decision counts there', async () => {
    const first = page([{ calls: [wipeCall] }])
    await first.session.send('Go')
    await first.session.close()
    const second = page(['Done.'], { store: first.store })
    await untilStatus(second, 'awaiting')
    await second.session.deny(idOf(second), 'no')
    await untilStatus(second, 'idle')
    expect(lastResultTexts(second.model.requests[0])[0]).toMatch(/They said: no/)
    expect([first.deeds, second.deeds]).toEqual([[], []])
  })

  test('A7: what is sent instead counts as a refusal, and is asked', async () => {
    const here = page([{ calls: [wipeCall] }, 'Here they are.'])
    const { turnId } = await here.session.send('Wipe it')
    const next = await here.session.send('never mind, just list them')
    expect(next.text).toBe('Here they are.')
    expect(outline(here.model.requests[1]?.messages ?? [])).toEqual([
      'user: Wipe it',
      'assistant: ',
      'tool: denied',
      'user: never mind, just list them',
    ])
    const end = here.session.getEntries().find((entry) => entry.type === 'turn-ended' && entry.turnId === turnId)
    expect(end).toMatchObject({ outcome: { kind: 'cancelled', reason: 'superseded' } })
  })

  test('Stop ends the wait, and the call is not run', async () => {
    const here = page([{ calls: [wipeCall] }])
    await here.session.send('Go')
    await here.session.cancel()
    expect(here.session.getSnapshot()).toMatchObject({ status: 'idle', pending: [], outcome: { kind: 'cancelled' } })
    expect(outline(here.session.getSnapshot().messages).at(-1)).toBe('tool: not-run')
  })

  test('a decision that comes while siblings run starts its call at once', async () => {
    const gate = deferred<string>()
    const slow = tool({ name: 'slow', description: 'Slow', effect: 'read', execute: () => gate.promise })
    const { wipe, deeds } = guarded()
    const here = page([{ calls: [wipeCall, { name: 'slow' }] }, 'Done.'], { tools: [wipe, slow] })
    const sent = here.session.send('Go')
    await until(here, ({ pending }) => pending.length > 0)
    await here.session.approve(idOf(here))
    await until(here, ({ calls }) => [...calls.values()].some(({ state }) => state === 'settled'))
    expect([deeds.length, here.session.getSnapshot().status]).toEqual([1, 'running'])
    gate.resolve('slowly')
    expect((await sent).outcome.kind).toBe('completed')
    expect(lastResultTexts(here.model.requests[1])).toEqual(['wiped', 'slowly'])
  })

  test('A8: answers in the place of a tool with any value', async () => {
    const choose = tool({ name: 'choose', description: 'Asks' })
    const here = page([{ calls: [{ name: 'choose' }] }, 'Red.'], { tools: [choose] })
    await here.session.send('Go')
    await here.session.answer(idOf(here), { colour: 'red' })
    await untilStatus(here, 'idle')
    expect(lastResultTexts(here.model.requests[1])).toEqual(['{"colour":"red"}'])
  })

  test('two decisions given in one breath are both heard', async () => {
    const here = page([{ calls: [wipeCall, { name: 'wipe', input: { draft: 'b' } }] }, 'Done.'])
    await here.session.send('Go')
    const [one, two] = here.session.getSnapshot().pending
    await Promise.all([here.session.approve(one?.id ?? ''), here.session.approve(two?.id ?? '')])
    await untilStatus(here, 'idle')
    expect([here.deeds.length, here.session.getSnapshot().outcome?.kind]).toEqual([2, 'completed'])
  })

  test('refuses a second decision, one of another kind, and a resume without one', async () => {
    const here = page([{ calls: [wipeCall] }, 'Done.'])
    await here.session.send('Go')
    const id = idOf(here)
    await expect(here.session.answer(id, 'x')).rejects.toMatchObject({ code: 'bad-input' })
    await expect(here.session.resume()).rejects.toMatchObject({ code: 'nothing-to-resume' })
    await here.session.approve(id)
    await expect(here.session.deny(id)).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('a crash between the decision and its call goes on by itself', async () => {
    const first = page([{ calls: [wipeCall] }])
    await first.session.send('Go')
    const entries = first.session.getEntries()
    const store = new MemoryStore()
    const { fence } = await store.claim('s')
    const decidedEntry = {
      sequence: entries.length + 1,
      at: 0,
      turnId: entries[0]?.turnId ?? '',
      type: 'approval-decided',
      id: idOf(first),
      allow: true,
      by: 'user',
    } as const
    await store.append('s', [...entries, decidedEntry], { fence })
    const second = page(['Done.'], { store })
    await untilStatus(second, 'idle')
    expect([second.deeds.length, toolNames(second.model.requests[0])]).toEqual([1, ['wipe', 'echo']])
  })
})
