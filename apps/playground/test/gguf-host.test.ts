import { createAgent, ModelError } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import type { EnginePiece, EngineQuestion, GgufEngine, StartEngine } from '../src/model/gguf/gguf-engine.ts'
import { createGgufHost, type GgufHost, type GgufHostOptions } from '../src/model/gguf/gguf-host.ts'
import { ggufModel } from '../src/model/gguf/gguf-model.ts'

const FILE = new File(['GGUF'], 'small.gguf')

type Answer = (options: Parameters<GgufEngine['ask']>[1]) => Promise<void>

const say =
  (...pieces: readonly EnginePiece[]): Answer =>
  async ({ onPiece }) =>
    pieces.forEach(onPiece)
const hello = say({ type: 'reading' }, { type: 'text', text: 'Hello.' }, { type: 'end', reason: 'stop' })
const die: Answer = async () => {
  throw new ModelError('model-failed', 'The engine of the model broke down.', { facts: { died: true } })
}

/** A host whose engines answer in this order; each new engine starts where the last one ended. */
function hostOf(answers: readonly Answer[], options: Partial<GgufHostOptions> = {}) {
  const asked: EngineQuestion[] = []
  const log: string[] = []
  const start: StartEngine = async (file, { contextTokens, onShare }) => {
    log.push(`start ${file.name}`)
    onShare?.(0.5)
    return {
      title: 'Small',
      contextTokens,
      ask: async (question, rest) => {
        asked.push(question)
        await answers[asked.length - 1]?.(rest)
      },
      close: () => void log.push('close'),
    }
  }
  return { host: createGgufHost({ start, contextTokens: () => 4096, ...options }), asked, log }
}

const statesOf = (host: GgufHost): unknown[] => {
  const seen: unknown[] = []
  host.state.subscribe(() => seen.push(host.state.get()))
  return seen
}

describe('a model from a file', () => {
  test('goes from its share that was read to ready', async () => {
    const { host } = hostOf([])
    const seen = statesOf(host)
    await host.open(FILE)

    expect(seen).toEqual([
      { kind: 'loading', name: 'small.gguf', share: 0 },
      { kind: 'loading', name: 'small.gguf', share: 0.5 },
      { kind: 'ready', name: 'small.gguf', title: 'Small', bytes: 4, contextTokens: 4096 },
    ])
  })

  test('answers, with what it was asked and the window that it has', async () => {
    const { host, asked } = hostOf([hello])
    await host.open(FILE)
    const model = ggufModel(host)
    const result = await createAgent({ model, instructions: 'Be brief.' }).turn('Hi').untilDone()

    expect(result.text).toBe('Hello.')
    expect(asked[0]).toMatchObject({ system: 'Be brief.', turns: [{ role: 'user', content: 'Hi' }], schema: undefined })
    expect(model.contextWindow).toBe(4096)
  })

  test('that has died is started anew by the next question', async () => {
    const { host, log } = hostOf([die, hello])
    await host.open(FILE)
    const agent = createAgent({ model: ggufModel(host), retry: { attempts: 1 } })
    const first = await agent.turn('Hi').untilDone()
    const { kind } = host.state.get()
    const second = await agent.turn('Hi').untilDone()

    expect(first.outcome).toMatchObject({ kind: 'failed', error: { code: 'model-failed' } })
    expect(kind).toBe('resting')
    expect(second.text).toBe('Hello.')
    expect(log).toEqual(['start small.gguf', 'close', 'start small.gguf'])
  })

  test('that is not open is told where to open it', async () => {
    const { host } = hostOf([])
    const { outcome } = await createAgent({ model: ggufModel(host) })
      .turn('Hi')
      .untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'bad-option' } })
  })

  test('from an earlier visit is opened by the first question', async () => {
    const { host, log } = hostOf([hello], { recall: async () => FILE })
    const result = await createAgent({ model: ggufModel(host) })
      .turn('Hi')
      .untilDone()

    expect(result.text).toBe('Hello.')
    expect(log).toEqual(['start small.gguf'])
  })

  test('makes room for another, whichever is ready first', async () => {
    const { host, log } = hostOf([])
    const first = host.open(FILE)
    const second = host.open(new File(['GGUF'], 'other.gguf'))
    await Promise.all([first, second])

    expect(host.state.get()).toMatchObject({ kind: 'ready', name: 'other.gguf' })
    await expect.poll(() => log).toEqual(['start small.gguf', 'start other.gguf', 'close'])
  })

  test('that is unloaded is closed and forgotten', async () => {
    const { host, log } = hostOf([])
    await host.open(FILE)
    host.close()
    await host.restart()

    expect(host.state.get()).toEqual({ kind: 'none' })
    await expect.poll(() => log).toEqual(['start small.gguf', 'close'])
  })

  test('that cannot be started says why, and whether to try again', async () => {
    const refuse: StartEngine = async () => {
      throw new ModelError('bad-option', 'not a GGUF file')
    }
    const { host } = hostOf([], { start: refuse })
    await host.open(FILE)
    expect(host.state.get()).toEqual({ kind: 'failed', name: 'small.gguf', reason: 'not a GGUF file', isFinal: true })
  })

  test('keeps its thoughts apart from its answer', async () => {
    const { host } = hostOf([
      say(
        { type: 'reasoning', text: 'Hm' },
        { type: 'reasoning', text: 'm.' },
        { type: 'text', text: 'Yes.' },
        { type: 'end', reason: 'stop', usage: { inputTokens: 3 } },
      ),
    ])
    await host.open(FILE)
    const result = await createAgent({ model: ggufModel(host) })
      .turn('Hi')
      .untilDone()

    expect(result.messages.at(-1)?.role === 'assistant' && result.messages.at(-1)).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Hmm.' },
        { type: 'text', text: 'Yes.' },
      ],
      usage: { inputTokens: 3 },
    })
  })

  test('hears a Stop, and lets go of the question', async () => {
    let letGo = false
    const { host } = hostOf([
      ({ signal, onPiece }) =>
        new Promise((resolve) => {
          onPiece({ type: 'text', text: 'Once' })
          signal.addEventListener('abort', () => {
            letGo = true
            resolve()
          })
        }),
    ])
    await host.open(FILE)
    const turn = createAgent({ model: ggufModel(host) }).turn('Hi')
    for await (const event of turn.events()) if (event.type === 'text-delta') turn.cancel()

    expect((await turn.untilDone()).outcome.kind).toBe('cancelled')
    expect(letGo).toBe(true)
  })
})
