import {
  type Agent,
  createAgent,
  defineHooks,
  type HookContext,
  type HooksOptions,
  MemoryStore,
  openSession,
  type Session,
  tool,
} from '@turnloop/core'
import { deferred, manualClock, type ScriptedModel, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { guarded, wipeCall } from './approvals-setup.ts'
import { askedText, denier, masker } from './hooks-setup.ts'
import { outline } from './loop-setup.ts'
import { kinds, logFaults, until, untilIdle } from './session-setup.ts'
import { idle } from './turn-setup.ts'

interface Opened {
  readonly session: Session
  readonly model: ScriptedModel
  readonly agent: Agent
}

function open(
  hooks: HooksOptions,
  options: { store?: MemoryStore; script?: Parameters<typeof scriptedModel>[0] } = {},
): Opened {
  const { store, script = () => 'A.' } = options
  const model = scriptedModel(script)
  const agent = createAgent({ model, clock: manualClock(), hooks: defineHooks(hooks) })
  return { model, agent, session: openSession({ agent, id: 's', ...(store && { store }) }) }
}

describe('an input that waits for its hooks', () => {
  test('is in no entry, and stays in the stored queue until they have passed it', async () => {
    const gate = deferred()
    const store = new MemoryStore()
    const { session } = open({ preHooks: [() => gate.promise] }, { store })
    const sent = session.send('my question')
    await until(session, ({ turn }) => turn !== undefined)
    await session.flush()

    const waiting = await store.head('s')
    expect(kinds(session.getEntries())).toEqual(['turn-started'])
    expect(JSON.stringify(waiting?.queue)).toContain('my question')
    gate.resolve()
    await sent
    await session.flush()
    expect((await store.head('s'))?.queue).toEqual([])
  })

  test('is asked again after a reload in between, and its hooks run again', async () => {
    const store = new MemoryStore()
    const phases: string[] = []
    const before = open({ preHooks: [() => new Promise<undefined>(() => {})] }, { store })
    before.session.send('pin zq71').catch(() => {})
    await until(before.session, ({ turn }) => turn !== undefined)
    await before.session.flush()

    const after = open({ preHooks: [({ phase }: HookContext) => void phases.push(phase), masker('zq71')] }, { store })
    const snapshot = await until(after.session, ({ outcome }) => outcome !== undefined)

    expect(phases).toEqual(['continue'])
    expect(askedText(after.model.requests[0])).toBe('pin ****')
    expect(outline(snapshot.messages)).toEqual(['user: pin ****', 'assistant: A.'])
    expect(logFaults(after.session.getEntries())).toEqual([])
  })

  test('is blocked there as here', async () => {
    const store = new MemoryStore()
    const before = open({ preHooks: [() => new Promise<undefined>(() => {})] }, { store })
    before.session.send('bad').catch(() => {})
    await until(before.session, ({ turn }) => turn !== undefined)
    await before.session.flush()

    const after = open({ preHooks: [denier('bad')] }, { store })
    const { outcome } = await until(after.session, (snapshot) => snapshot.outcome !== undefined)

    expect(outcome?.kind).toBe('blocked')
    expect(after.model.requests).toHaveLength(0)
  })

  test('stopped meanwhile is handed back and kept nowhere', async () => {
    const store = new MemoryStore()
    const { session } = open(
      {
        preHooks: [
          ({ signal }) =>
            new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
        ],
      },
      { store },
    )
    const sent = session.send('my question')
    await until(session, ({ turn }) => turn !== undefined)
    await session.cancel()
    const { outcome } = await sent
    await session.flush()

    expect(outcome).toMatchObject({ kind: 'cancelled', input: [{ text: 'my question' }] })
    expect(JSON.stringify([session.getEntries(), await store.head('s')])).not.toContain('my question')
  })
})

describe('blocked input', () => {
  test('is shown as blocked, without its text, and in no later request', async () => {
    const { session, model } = open({ preHooks: [denier('bad')] })
    await session.send('bad word')
    await session.send('fine')

    expect(session.getSnapshot().messages[0]).toMatchObject({ role: 'user', synthetic: 'blocked', content: [] })
    expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: fine'])
    expect(JSON.stringify(session.getEntries())).not.toContain('bad word')
    expect(session.getEntries().find(({ type }) => type === 'message')).toMatchObject({
      blocked: { trigger: 'off_topic' },
    })
    expect(logFaults(session.getEntries())).toEqual([])
  })

  test('stays so after a reload', async () => {
    const store = new MemoryStore()
    const before = open({ preHooks: [denier('bad')] }, { store })
    await before.session.send('bad word')
    await before.session.close()

    const after = open({ preHooks: [denier('bad')] }, { store })
    await after.session.send('fine')

    expect(outline(after.model.requests[0]?.messages ?? [])).toEqual(['user: fine'])
  })

  test.each([
    ['none', undefined],
    ['redacted', 'pin [pin]'],
    ['full', 'pin zq71'],
  ] as const)('storeRejected %s keeps what it says', async (storeRejected, text) => {
    const redact = (whole: string): string => whole.replaceAll('zq71', '[pin]')
    const { session } = open({ preHooks: [denier('pin')], storeRejected, redact })
    await session.send('pin zq71')

    const entry = session.getEntries().find(({ type }) => type === 'message')
    const rejected = entry?.type === 'message' ? entry.rejected : undefined
    const [part] = rejected?.role === 'user' ? rejected.content : []
    expect(part?.type === 'text' ? part.text : undefined).toBe(text)
  })
})

describe('a blocked answer', () => {
  test.each([
    ['none', undefined],
    ['redacted', 'pin [pin]'],
    ['full', 'pin zq71'],
  ] as const)('storeRejected %s keeps what it says', async (storeRejected, text) => {
    const redact = (whole: string): string => whole.replaceAll('zq71', '[pin]')
    const { session } = open({ postHooks: [denier('pin')], storeRejected, redact }, { script: () => 'pin zq71' })
    await session.send('Hi')

    const entry = session.getEntries().findLast(({ type }) => type === 'message')
    const rejected = entry?.type === 'message' ? entry.rejected : undefined
    const [part] = rejected?.role === 'assistant' ? rejected.content : []
    expect(part?.type === 'text' ? part.text : undefined).toBe(text)
    expect(outline(session.getSnapshot().messages).at(-1)).toBe('assistant: This answer was withheld.')
  })

  test('is read by the next turn as the safe message', async () => {
    const { session, model } = open(
      { postHooks: [denier('nasty')] },
      { script: (_request, index) => (index === 0 ? 'nasty' : 'Good.') },
    )
    await session.send('Hi')
    await session.send('Again')

    expect(JSON.stringify(model.requests[1])).not.toContain('nasty')
  })

  test('is not stored as it grows where checks come later', async () => {
    const gate = deferred()
    const store = new MemoryStore()
    const { session } = open(
      { postHooks: [denier('bad')] },
      { store, script: [{ text: 'bad word', hang: 'until-abort' as const, gate: gate.promise }] },
    )
    const sent = session.send('Hi')
    gate.resolve()
    await until(session, ({ open: growing }) => growing !== undefined && growing.content.length > 0)
    await session.flush()
    await idle()

    expect(JSON.stringify((await store.open('s')) ?? null)).not.toContain('bad word')
    await session.cancel()
    await sent
  })
})

describe('scenario 57 (differs)', () => {
  test('failed, cancelled and paused turns stay in the transcript, healed', async () => {
    const { wipe } = guarded()
    const model = scriptedModel((_request, index) => {
      if (index === 0) return { text: 'half', cut: true }
      return index === 1 ? { calls: [wipeCall()] } : 'A.'
    })
    const agent = createAgent({
      model,
      clock: manualClock(),
      tools: [wipe],
      retry: { attempts: 1 },
      hooks: defineHooks({}),
    })
    const session = openSession({ agent, id: 's' })
    await session.send('one')
    await session.send('two')
    await session.send('three')

    expect(outline(model.requests[2]?.messages ?? [])).toEqual([
      'user: one',
      'assistant: half',
      'user: two',
      'assistant: ',
      'tool: denied',
      'user: three',
    ])
  })
})

describe('what hooks are told', () => {
  test('of the session, the user and the turns before', async () => {
    const seen: unknown[] = []
    const { session } = open({
      preHooks: [
        ({ session: info, userId, messages, turnMessages }) =>
          void seen.push({ ...info, createdAt: typeof info?.createdAt }, userId, messages.length, turnMessages.length),
      ],
      postHooks: [({ messages, turnMessages }) => void seen.push(messages.length, turnMessages.length)],
    })
    await session.send('one', { userId: 'ann' })
    await session.rename('Title')
    await session.send('two', { userId: 'ben' })

    expect(seen).toEqual([
      { id: 's', turns: 0, createdAt: 'undefined' },
      'ann',
      0,
      0,
      1,
      1,
      { id: 's', title: 'Title', turns: 1, createdAt: 'number' },
      'ben',
      2,
      0,
      3,
      1,
    ])
  })

  test('56: a pause survives a reload, and stopAfter holds after it (differs)', async () => {
    const store = new MemoryStore()
    const stopping = tool({
      name: 'pay',
      description: 'Pays',
      input: z.object({}),
      needsApproval: true,
      stopAfter: true,
      execute: () => 'paid',
    })
    const script = () => ({ calls: [{ name: 'pay' }] })
    const make = () => {
      const model = scriptedModel(script)
      const agent = createAgent({
        model,
        clock: manualClock(),
        tools: [stopping],
        hooks: defineHooks({ afterTurn: () => {} }),
      })
      return { model, session: openSession({ agent, id: 's', store }) }
    }
    const before = make()
    await before.session.send('Hi')
    await before.session.close()

    const after = make()
    const { pending } = await until(after.session, ({ status }) => status === 'awaiting')
    await after.session.approve(pending[0]?.id ?? '')
    const { outcome } = await untilIdle(after.session)

    expect(outcome).toEqual({ kind: 'completed', stoppedBy: 'pay' })
    expect(after.model.requests).toHaveLength(0)
  })
})
