import { ModelError, structured } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { denier, masker, runHooked } from './hooks-setup.ts'
import { echo, say } from './loop-setup.ts'

describe('other kinds of answers', () => {
  const output = (policy: 'always' | 'final' | 'tool') => structured(z.object({ word: z.string() }), { policy })
  const script = (policy: string) =>
    policy === 'tool'
      ? ({ tools }: { tools: readonly { name: string }[] }) => ({
          calls: [{ name: tools[0]?.name ?? '', input: { word: 'secret' } }],
        })
      : () => '{"word":"secret"}'

  test.each(['always', 'final', 'tool'] as const)('policy %s: post-hooks see the output, once', async (policy) => {
    const seen: unknown[] = []
    const { result } = await runHooked(
      script(policy),
      { postHooks: [({ result: { output: found } }) => void seen.push(found)] },
      { output: output(policy) },
    )

    expect(seen).toEqual([{ word: 'secret' }])
    expect(result.output).toEqual({ word: 'secret' })
  })

  test.each(['always', 'final', 'tool'] as const)('policy %s: a check masks the output', async (policy) => {
    const { result, entries } = await runHooked(
      script(policy),
      { postHooks: [masker('secret')] },
      { output: output(policy) },
    )

    expect(result.output).toEqual({ word: '******' })
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  test.each(['always', 'final', 'tool'] as const)('policy %s: a post-hook may send it back', async (policy) => {
    let asked = 0
    const { result, model } = await runHooked(
      script(policy),
      { postHooks: [() => (asked++ === 0 ? { retry: 'Another word.' } : undefined)] },
      { output: output(policy) },
    )

    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Another word.')
    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(asked).toBe(2)
  })

  test('an answer that a hook has made unfit fails', async () => {
    const { result } = await runHooked(
      ['{"word":"a"}'],
      { postHooks: [() => ({ replace: 'no JSON' })] },
      { output: output('always') },
    )

    expect(result.outcome).toMatchObject({ kind: 'failed', error: { code: 'output-invalid' } })
  })

  test('passthrough: post-hooks see the results as the answer, and may block it', async () => {
    const ran = await runHooked(
      [{ calls: [say('bad')] }],
      { postHooks: [denier('bad')] },
      { tools: [echo], toolResultMode: 'passthrough' },
    )
    const replaced = await runHooked(
      [{ calls: [say('good')] }],
      { postHooks: [({ result }) => ({ replace: `${result.text}!` })] },
      { tools: [echo], toolResultMode: 'passthrough' },
    )

    expect(ran.result.outcome.kind).toBe('blocked')
    expect(ran.result.text).toBe('This answer was withheld.')
    expect(replaced.result.text).toBe('good!')
  })

  test('post-hooks run on the last answer over the cap', async () => {
    const seen: string[] = []
    const { result } = await runHooked(
      ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : { calls: [say('a')] }),
      { postHooks: [({ result: { text } }) => void seen.push(text)] },
      { tools: [echo], maxIterations: 0, onMaxIterations: 'answer' },
    )

    expect(result.outcome.kind).toBe('max-iterations')
    expect(seen).toEqual(['Enough.'])
  })

  test('post-hooks do not run on a turn that failed', async () => {
    const seen: string[] = []
    await runHooked(
      [{ throws: new ModelError('model-refused-request', 'no') }],
      { postHooks: [() => void seen.push('post')] },
      { retry: { attempts: 1 } },
    )

    expect(seen).toEqual([])
  })
})
