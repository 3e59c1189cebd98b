/// <reference types="node" />
import { createAgent, type Message, type Tool, type TurnEvent, tool } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import { streamText } from 'ai'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { checked } from './support/agent-parts.ts'
import { collect, textOf } from './support/collect.ts'
import { request, user } from './support/conversation.ts'
import { ownRecordings, type Recording, readRecordings } from './support/recordings.ts'
import { type ReplayOptions, replay } from './support/replay.ts'

const folder = process.env.TURNLOOP_RECORDINGS
const recordings = [...ownRecordings(), ...(folder === undefined ? [] : readRecordings(folder))]

/** Places to cut or stop at: every one of a few, else this many spread over all. */
const PLACES = 8

beforeAll(() => {
  // The oracle tells its warnings on the console.
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
  return () => vi.unstubAllGlobals()
})

/** Run a turn on a recording and one more on what it left, and check both. */
async function play(
  recording: Recording,
  options: ReplayOptions,
  onEvent?: (event: TurnEvent, stop: () => void) => void,
) {
  const model = replay(recording, options)
  if (model === undefined) throw new Error(`No provider for ${recording.name}.`)
  const ran = new Set<string>()
  const agent = createAgent({ model: checked(aiSdkModel(model)), tools: toolsFor(recording, ran) })
  const turn = agent.turn('go')
  for await (const event of turn.events()) onEvent?.(event, () => turn.cancel('enough'))
  const result = await turn.untilDone()
  expect(checkHistory(result.messages).problems).toEqual([])
  expect([...ran].filter((callId) => !isWhole(result.messages, callId))).toEqual([])
  await agent.turn([...result.messages, user('go on')]).untilDone()
  return result
}

/** Tools of every name that the recording mentions. */
function toolsFor({ responses }: Recording, ran: Set<string>): Tool[] {
  const names = responses
    .flat()
    .flatMap((line) => [...line.matchAll(/"name":\s*"([\w-]{1,64})"/g)].map(([, name]) => name))
  return [...new Set(names)].flatMap((name) =>
    name === undefined
      ? []
      : [tool({ name, description: 'Recorded.', execute: (_, { callId }) => ran.add(callId).size })],
  )
}

/** Whether the call stands in a reply that came whole. */
function isWhole(messages: readonly Message[], callId: string): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.stopReason === 'toolUse' &&
      !message.partial &&
      message.content.some((part) => part.type === 'tool-call' && part.callId === callId),
  )
}

function spread(count: number): number[] {
  const places = Math.min(count, PLACES)
  return Array.from({ length: places }, (_, index) => Math.floor((index * count) / places))
}

/** What the AI SDK's own loop reads in the first response, or that it fails. */
async function oracle(recording: Recording): Promise<string> {
  const model = replay(recording)
  if (model === undefined) return 'skipped'
  const { textStream } = streamText({ model, prompt: 'go', maxRetries: 0, onError() {} })
  let text = ''
  for await (const delta of textStream) text += delta
  return text
}

async function firstText(recording: Recording, options: ReplayOptions = {}): Promise<string> {
  const model = replay(recording, options)
  return model === undefined ? 'skipped' : collect(aiSdkModel(model), request([user('go')])).then(textOf, () => '')
}

describe.each(recordings)('$name', { timeout: 60_000 }, (recording) => {
  const isInstalled = replay(recording) !== undefined
  const events: TurnEvent[] = []

  test.runIf(isInstalled)('played whole, it ends and leaves a sound history', async () => {
    const whole = await play(recording, {}, (event) => events.push(event))
    if (recording.ends !== undefined) expect(whole.outcome.kind).toBe(recording.ends)
    const replies = whole.messages.filter(({ role }) => role === 'assistant')
    // A recording of several responses is a loop that goes on to the last.
    if (recording.responses.length > 1) expect(replies).toHaveLength(recording.responses.length)
  })

  test.runIf(isInstalled)('its text is what the AI SDK reads, in chunks of any size', async () => {
    const text = await oracle(recording)
    expect(await firstText(recording)).toBe(text)
    expect(await firstText(recording, { chunkBytes: 1 })).toBe(text)
  })

  test.runIf(isInstalled)('cut at any line, it ends and leaves a sound history', async () => {
    for (const cutAfter of spread(recording.responses.flat().length)) await play(recording, { cutAfter })
  })

  test.runIf(isInstalled)('stopped at any event, it ends and leaves a sound history', async () => {
    for (const place of spread(events.length)) {
      let seen = 0
      await play(recording, {}, (_, stop) => {
        if (seen++ === place) stop()
      })
    }
  })
})
