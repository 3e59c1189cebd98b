import { type Tool, type ToolContext, ToolError, tool } from '@turnloop/core'
import { deafTool, deferred, type ManualClock, manualClock } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { batchOf, call, gates, settled } from './batch-setup.ts'
import { echo, lastResults, lastResultTexts, say } from './loop-setup.ts'
import { idle } from './turn-setup.ts'

describe('time limits', () => {
  const waitFor = (name: string, timeoutMs: number, act: (context: ToolContext) => unknown): Tool =>
    tool({ name, description: name, effect: 'read', timeoutMs, execute: (_input, context) => act(context) })

  test('a tool that obeys its signal is timed out', async () => {
    const clock = manualClock()
    const obedient = waitFor(
      'slow',
      100,
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    const { done, model } = batchOf([call('slow'), say('a')], { tools: [obedient, echo], clock })
    await clock.advance(99)
    expect(model.requests).toHaveLength(1)
    await clock.advance(1)
    await done
    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'error' }, { status: 'ok' }])
    expect(lastResultTexts(model.requests[1])[0]).toBe('slow did not finish within 100 ms.')
  })

  test('a deaf tool is given up after the grace time', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const { done, model, log, events } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs: 300 })
    await clock.advance(399)
    expect(model.requests).toHaveLength(1)
    await clock.advance(1)
    expect((await done).outcome).toEqual({ kind: 'completed' })
    expect(lastResults(model.requests[1])[0]?.status).toBe('unknown')
    expect(lastResultTexts(model.requests[1])[0]).toMatch(/100 ms.*may or may not/)
    const seen = events.length
    deaf.release('late')
    await idle()
    expect(settled(log.entries)).toEqual(['deaf unknown', 'deaf ok late'])
    expect(events).toHaveLength(seen)
  })

  test('a late result beside a running sibling does not replace the answer', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const gate = gates(['a'])
    const { done, model, log } = batchOf([call('deaf'), call('a')], {
      tools: [deaf, ...gate.tools],
      clock,
      graceMs: 50,
    })
    await clock.advance(150)
    deaf.release('late')
    await gate.let('a')
    await done
    expect(settled(log.entries)).toEqual(['deaf unknown', 'deaf ok late', 'a ok'])
    expect(lastResults(model.requests[1]).map(({ status }) => status)).toEqual(['unknown', 'ok'])
  })

  test('a result within the grace time is the result', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const { done, model } = batchOf([call('deaf')], { tools: [deaf], clock })
    await clock.advance(150)
    deaf.release('finished all the same')
    await done
    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'ok' }])
  })

  test('a limit beyond what timers take is no limit', async () => {
    const clock = manualClock()
    const gate = gates(['a'])
    const [a] = gate.tools
    // A source may say what tool() would refuse.
    const patient = { ...a, timeoutMs: Number.POSITIVE_INFINITY } as Tool
    const { done, model } = batchOf([call('a')], { tools: [patient], clock })
    await idle()
    await gate.let('a')
    await done
    expect(lastResults(model.requests[1])[0]?.status).toBe('ok')
  })

  test('no timer outlives its call', async () => {
    const clock = manualClock()
    const quick = waitFor('quick', 10_000, () => 'quick')
    const { done } = batchOf([call('quick')], { tools: [quick], clock })
    await done
    expect(clock.pending).toBe(0)
  })
})

describe('Stop', () => {
  const graceMs = 300

  async function stopAt(clock: ManualClock, started: Promise<unknown>, turn: { cancel(): void }): Promise<void> {
    await started
    await idle()
    turn.cancel()
    await clock.advance(0)
  }

  test('a tool that returns within the grace time has finished', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    await clock.advance(graceMs - 1)
    deaf.release('saved')
    const result = await done
    expect(lastResults(result)).toMatchObject([{ status: 'ok' }])
    expect(result.outcome).toMatchObject({ kind: 'cancelled', rollback: { status: 'appended-completed-result' } })
  })

  test('a tool that throws within the grace time was cancelled', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    deaf.reject(new DOMException('stopped', 'AbortError'))
    const result = await done
    expect(lastResults(result)).toMatchObject([{ status: 'cancelled' }])
    expect(result.outcome).toMatchObject({ rollback: { status: 'appended-interrupted-result' } })
  })

  test('a tool that cannot tell what happened is in doubt', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    deaf.reject(new ToolError('worker-terminated', 'The worker was ended.', { facts: { outcomeUnknown: true } }))
    expect(lastResults(await done)).toMatchObject([{ status: 'unknown' }])
  })

  test('of a batch each call says what became of it', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const gate = gates(['slow'])
    const tools = [echo, deaf, ...gate.tools]
    const calls = [say('a'), call('deaf'), call('slow'), say('b'), call('missing')]
    const { turn, done, model, log } = batchOf(calls, { tools, clock, graceMs, maxParallelTools: 2 })
    await stopAt(clock, deaf.started, turn)
    await gate.let('slow')
    await clock.advance(graceMs)
    const result = await done
    expect(lastResults(result).map(({ status }) => status)).toEqual(['ok', 'unknown', 'ok', 'not-run', 'not-run'])
    expect(model.requests).toHaveLength(1)
    const ended = log.entries.length
    deaf.release('late')
    await idle()
    expect(settled(log.entries.slice(ended))).toEqual(['deaf ok late'])
  })

  test('a schema check that answers late adds nothing to the log', async () => {
    const clock = manualClock()
    const checking = deferred<{ ok: true; value: unknown }>()
    const asked = deferred()
    let runs = 0
    const slow: Tool = {
      ...echo,
      check: () => {
        asked.resolve()
        return checking.promise
      },
      execute: () => {
        runs += 1
      },
    }
    const { turn, done, log } = batchOf([say('a')], { tools: [slow], clock, graceMs })
    await stopAt(clock, asked.promise, turn)
    await clock.advance(2 * graceMs)
    expect(lastResults(await done)).toMatchObject([{ status: 'not-run' }])
    const ended = log.entries.length
    checking.resolve({ ok: true, value: {} })
    await idle()
    expect([runs, log.entries.length]).toEqual([0, ended])
  })

  test('calls keep none of their listeners on the signal of the turn', async () => {
    const seen: AbortSignal[] = []
    const look = tool({
      name: 'look',
      description: 'Keeps its signal',
      effect: 'read',
      execute: (_input, { signal }) => void seen.push(signal),
    })
    const { turn, done } = batchOf([call('look'), call('look')], { tools: [look] })
    await done
    turn.cancel()
    expect(seen.map(({ aborted }) => aborted)).toEqual([false, false])
  })
})
