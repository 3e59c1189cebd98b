import { defineGuardrail, openSession, type Tool, tool, toolHooks } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decided, guarded, pendingOf, wipeCall } from './approvals-setup.ts'
import { denier, hookEvents, hooked, leaks, masker, runHooked, unclosed } from './hooks-setup.ts'
import { counter, echo, lastResults, lastResultTexts, recorder, say } from './loop-setup.ts'
import { until } from './session-setup.ts'

const asking = (input: Record<string, unknown>) => [{ calls: [{ name: 'record', input }] }, 'Done.']
const record = () => recorder('record', z.object({ text: z.string(), deep: z.array(z.string()).optional() }))

function answering(result: unknown): Tool {
  return tool({ name: 'record', description: 'Answers', execute: () => result })
}

describe('a guardrail on arguments', () => {
  test('blocks the turn before the tool runs', async () => {
    const { tool: recording, inputs } = record()
    const ran = await runHooked(asking({ text: 'bad' }), { toolGuardrails: [denier('bad')] }, { tools: [recording] })

    expect(inputs).toEqual([])
    expect(ran.model.requests).toHaveLength(1)
    expect(ran.result.outcome).toMatchObject({
      kind: 'blocked',
      hook: 'denier',
      slot: 'toolGuardrails',
      phase: 'tool-input',
      trigger: 'off_topic',
    })
    expect(lastResults(ran.result)[0]?.status).toBe('denied')
  })

  test('masks texts, however deep they stand', async () => {
    const { tool: recording, inputs } = record()
    const ran = await runHooked(
      asking({ text: 'pin zq71', deep: ['zq71', 'x'] }),
      { toolGuardrails: [masker('zq71')] },
      { tools: [recording] },
    )

    expect(inputs).toEqual([{ text: 'pin ****', deep: ['****', 'x'] }])
    expect(hookEvents(ran.events).every(({ callId }) => callId !== undefined)).toBe(true)
  })

  test('looks once more at what a hook has put in their place', async () => {
    const { tool: recording, inputs } = record()
    const ran = await runHooked(
      asking({ text: 'fine' }),
      { toolHooks: [(_call, next) => next({ text: 'bad' })], toolGuardrails: [denier('bad')] },
      { tools: [recording] },
    )

    expect(inputs).toEqual([])
    expect(ran.result.outcome).toMatchObject({ kind: 'blocked', phase: 'tool-input' })
  })

  test('looks at what before and beforeToolCall have put in their place', async () => {
    const look = tool({
      name: 'record',
      description: 'Looks',
      input: z.object({ text: z.string() }),
      execute: () => 'ran',
      hooks: toolHooks({ before: () => ({ input: { text: 'bad' } }) }),
    })
    const byBefore = await runHooked(asking({ text: 'fine' }), { toolGuardrails: [denier('bad')] }, { tools: [look] })
    const { tool: recording } = record()
    const byPoint = await runHooked(
      asking({ text: 'fine' }),
      {
        beforeToolCall: ({ calls }) => ({ replace: calls.map(({ callId }) => ({ callId, input: { text: 'bad' } })) }),
        toolGuardrails: [denier('bad')],
      },
      { tools: [recording] },
    )

    expect([byBefore.result.outcome.kind, byPoint.result.outcome.kind]).toEqual(['blocked', 'blocked'])
  })

  test('runs before people are asked, who see what it left', async () => {
    const { wipe, deeds } = guarded()
    const { agent } = hooked([{ calls: [wipeCall('zq71')] }, 'Done.'], { toolGuardrails: [masker('zq71')] })
    const paused = await agent
      .with({ tools: [wipe] })
      .turn('Hi')
      .untilDone()

    expect(pendingOf(paused)[0]?.input).toEqual({ draft: '****' })
    const done = await decided(paused, { allow: true })
    expect(done.outcome).toEqual({ kind: 'completed' })
    expect(deeds).toEqual([{ draft: '****' }])
  })

  test('56: looks again at what a person has put in their place (differs)', async () => {
    const { wipe, deeds } = guarded()
    const { agent } = hooked([{ calls: [wipeCall('a')] }, 'Done.'], { toolGuardrails: [denier('bad')] })
    const paused = await agent
      .with({ tools: [wipe] })
      .turn('Hi')
      .untilDone()

    const done = await decided(paused, { allow: true, input: { draft: 'bad' } })

    expect(deeds).toEqual([])
    expect(done.outcome).toMatchObject({ kind: 'blocked', phase: 'tool-input' })
  })
})

describe('a guardrail on results', () => {
  test('blocks the turn, and the model never reads the result', async () => {
    const ran = await runHooked(
      asking({}),
      { toolGuardrails: [denier('bad', { phases: ['tool-result'] })] },
      { tools: [answering('bad news')] },
    )

    expect(ran.model.requests).toHaveLength(1)
    expect(ran.result.outcome).toMatchObject({ kind: 'blocked', phase: 'tool-result' })
    expect(JSON.stringify(ran.entries)).not.toContain('bad news')
    expect(unclosed(ran.events)).toEqual([])
  })

  test('masks text, JSON and errors before anybody reads them', async () => {
    const results = [
      'pin zq71',
      { pin: 'zq71', list: ['xzq71'] },
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'pin zq71' } }] },
    ]
    for (const result of results) {
      const ran = await runHooked(asking({}), { toolGuardrails: [masker('zq71')] }, { tools: [answering(result)] })

      expect(leaks('zq71', ran)).toEqual([])
      expect(lastResultTexts(ran.model.requests[1])[0]).not.toContain('zq71')
    }
    const fail = tool({
      name: 'record',
      description: 'Fails',
      execute: () => {
        throw new Error('pin zq71')
      },
    })
    const ran = await runHooked(asking({}), { toolGuardrails: [masker('zq71')] }, { tools: [fail] })
    expect(leaks('zq71', ran)).toEqual([])
  })

  test('Stop while it looks keeps back what it has yet to pass', async () => {
    const slow = defineGuardrail({
      name: 'slow',
      phases: ['tool-result'],
      check: (_subject, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const ran = await runHooked(
      asking({}),
      { toolGuardrails: [slow] },
      {
        tools: [answering('bad news')],
        during: async (turn, { clock }) => {
          await clock.advance(0)
          turn.cancel()
          await clock.advance(2000)
        },
      },
    )

    expect(ran.result.outcome.kind).toBe('cancelled')
    expect(JSON.stringify(ran.entries)).not.toContain('bad news')
    expect(unclosed(ran.events)).toEqual([])
  })

  test('sees what a person answers in the place of a tool', async () => {
    const ask = tool({ name: 'ask', description: 'Asks', input: z.object({}) })
    const { agent, model } = hooked([{ calls: [{ name: 'ask' }] }, 'Done.'], {
      toolGuardrails: [masker('zq71', { phases: ['tool-result'] })],
    })
    const paused = await agent
      .with({ tools: [ask] })
      .turn('Hi')
      .untilDone()

    await decided(paused, { allow: true, result: { content: [{ type: 'text', text: 'pin zq71' }] } })

    expect(lastResultTexts(model.requests[1])).toEqual(['pin ****'])
  })
})

describe('a call that a person has decided about', () => {
  const rewriting = { toolHooks: [(_call: unknown, next: (input: object) => unknown) => next({ draft: 'b' })] }

  test('is denied where a hook changes its arguments after that', async () => {
    const { wipe, deeds } = guarded()
    const { agent, model } = hooked([{ calls: [wipeCall('a')] }, 'Done.'], rewriting as never)
    const paused = await agent
      .with({ tools: [wipe] })
      .turn('Hi')
      .untilDone()

    await decided(paused, { allow: true })

    expect(deeds).toEqual([])
    expect(lastResults(model.requests[1])[0]?.status).toBe('denied')
  })

  test('is denied so too where the decision came while siblings ran', async () => {
    const { wipe, deeds } = guarded()
    let release = (): void => {}
    const gate = new Promise<string>((resolve) => {
      release = () => resolve('done')
    })
    const slow = tool({ name: 'slow', description: 'Slow', effect: 'read', execute: () => gate })
    const { agent, model } = hooked(
      [{ calls: [wipeCall('a'), { name: 'slow' }] }, 'Done.'],
      {
        toolHooks: [({ name }, next) => (name === 'wipe' ? next({ draft: 'b' }) : next())],
      },
      { tools: [wipe, slow] },
    )
    const session = openSession({ agent, id: 's' })
    const sent = session.send('Hi')
    const { pending } = await until(session, (snapshot) => snapshot.pending.length > 0)
    await session.approve(pending[0]?.id ?? '')
    release()
    await sent

    expect(deeds).toEqual([])
    expect(lastResults(model.requests[1])[0]?.status).toBe('denied')
  })

  test('runs its hooks once, after the decision and not before', async () => {
    const { wipe, deeds } = guarded()
    const phases: string[] = []
    const { agent } = hooked([{ calls: [wipeCall('a')] }, 'Done.'], {
      toolHooks: [
        (_call, next, { phase }) => {
          phases.push(phase)
          return next()
        },
      ],
    })
    const paused = await agent
      .with({ tools: [wipe] })
      .turn('Hi')
      .untilDone()
    expect(phases).toEqual([])

    await decided(paused, { allow: true })

    expect(phases).toEqual(['continue'])
    expect(deeds).toHaveLength(1)
  })
})

test('toolGuardrails leave tools without texts alone', async () => {
  const { tool: look } = counter('look')
  const { result } = await runHooked(
    [{ calls: [{ name: 'look' }, say('x')] }, 'Done.'],
    { toolGuardrails: [denier('bad')] },
    { tools: [look, echo] },
  )

  expect(result.outcome).toEqual({ kind: 'completed' })
})
