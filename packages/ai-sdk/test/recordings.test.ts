/// <reference types="node" />
import { createAgent, type Message, messageText, type Tool, type TurnEvent, tool } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { checked } from './support/agent-parts.ts'
import { user } from './support/conversation.ts'
import { lawfulPrompt } from './support/lawful-prompt.ts'
import { type OracleRun, oracle } from './support/oracle.ts'
import { ownRecordings } from './support/own-recordings.ts'
import {
  FOLLOW_UP,
  isPlayable,
  lineShape,
  places,
  type RecordedModel,
  recordedModel,
} from './support/recorded-model.ts'
import { type Recording, readRecordings } from './support/recordings.ts'
import { missing, type ReplayOptions } from './support/replay.ts'

const folder = process.env.TURNLOOP_RECORDINGS
const recordings = [...ownRecordings(), ...(folder === undefined ? [] : readRecordings(folder))]
const skipped = recordings.filter((recording) => !isPlayable(recording)).map(({ name }) => name)
const cells = { whole: 0, chunked: 0, cut: 0, stopped: 0, compared: 0 }

beforeAll(() => {
  // The oracle tells its warnings on the console.
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
  return () => vi.unstubAllGlobals()
})

afterAll(() => {
  const counts = Object.entries(cells).map(([kind, count]) => `${count} ${kind}`)
  const standIns = missing.filter((name) =>
    recordings.some((recording) => recording.folder === name && isPlayable(recording)),
  )
  console.log(`recordings: ${recordings.length - skipped.length}, cells: ${counts.join(', ')}`)
  console.log(`without their own package, played through openai-compatible: ${standIns.join(', ') || 'none'}`)
  console.log(`skipped, no package installed: ${skipped.join(', ') || 'none'}`)
})

interface Played extends RecordedModel {
  readonly text: string
  readonly outcome: string
  readonly messages: readonly Message[]
}

/** Run a turn on a recording and one more on what it left, and check that both keep the rules. */
async function play(recording: Recording, options: ReplayOptions & { stopAt?: number } = {}): Promise<Played> {
  const recorded = recordedModel(recording, {
    ...options,
    onPart: (index) => index === options.stopAt && turn.cancel('enough'),
  })
  const ran = new Set<string>()
  const agent = createAgent({ model: checked(aiSdkModel(recorded.model)), tools: toolsFor(recording, ran) })
  const turn = agent.turn('go')
  const events: TurnEvent[] = []
  for await (const event of turn.events()) events.push(event)
  const { messages, outcome } = await turn.untilDone()
  expect(events.filter(({ type }) => type === 'turn-ended')).toEqual([events.at(-1)])
  expect(checkHistory(messages).problems).toEqual([])
  expect([...ran].filter((callId) => !isWhole(messages, callId))).toEqual([])
  recorded.end()
  const after = await agent.turn([...messages, user('go on')]).untilDone()
  expect(after).toMatchObject({ outcome: { kind: 'completed' }, text: FOLLOW_UP })
  const text = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
  return { ...recorded, messages, text, outcome: outcome.kind }
}

/** Names that the recording mentions and that a tool can have. */
function namesIn({ responses }: Recording): string[] {
  const found = responses.flat().flatMap((line) => [...line.matchAll(/"name":\s*"([\w-]{1,64})"/g)])
  return [...new Set(found.map(([, name = '']) => name))]
}

function toolsFor(recording: Recording, ran: Set<string>): Tool[] {
  return namesIn(recording).map((name) =>
    tool({
      name,
      description: 'Recorded.',
      execute(_, { callId }) {
        // A result unlike any before: the loop stops calls that get the same again and again, the AI SDK does not.
        return `result ${ran.add(callId).size}`
      },
    }),
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

describe.each(recordings)('$name', { timeout: 60_000 }, (recording) => {
  describe.runIf(isPlayable(recording))('played', () => {
    let whole: Played
    let theirs: OracleRun

    beforeAll(async () => {
      whole = await play(recording)
      theirs = await oracle(recording, namesIn(recording))
      cells.whole += 1
    })

    test('whole, it ends once and its conversation goes on', () => {
      if (recording.ends !== undefined) expect(whole.outcome).toBe(recording.ends)
      // A recording of several responses is a loop that goes on to the last.
      expect(whole.prompts.length).toBeGreaterThan(recording.responses.length)
    })

    test('whole, its text is what the AI SDK reads', () => {
      // Where its loop gives up, ours may go on.
      expect(theirs.failed ? whole.text.slice(0, theirs.text.length) : whole.text).toBe(theirs.text)
      const kept = whole.messages.map((message) => (message.role === 'assistant' ? messageText(message) : '')).join('')
      expect(kept.replace(/\s/g, '')).toBe(whole.text.replace(/\s/g, ''))
    })

    test('whole, its next requests are those of the AI SDK', () => {
      const known = theirs.prompts.length
      expect(whole.prompts.slice(0, known).map(lawfulPrompt)).toEqual(theirs.prompts.map(lawfulPrompt))
      if (!theirs.failed) expect(whole.prompts).toHaveLength(known)
      cells.compared += known - 1
    })

    test('in chunks of one byte, it says the same', async () => {
      const chunked = await play(recording, { chunkBytes: 1 })
      expect(chunked).toMatchObject({ text: whole.text, outcome: whole.outcome, parts: whole.parts })
      expect(chunked.prompts.map(lawfulPrompt)).toEqual(whole.prompts.map(lawfulPrompt))
      cells.chunked += 1
    })

    test('cut at every line, it ends once and its conversation goes on', async () => {
      for (const cutAfter of places(recording.responses.flat().map(lineShape))) {
        await play(recording, { cutAfter })
        cells.cut += 1
      }
    })

    test('stopped at every part, it ends once and its conversation goes on', async () => {
      for (const stopAt of places(whole.parts)) {
        const { outcome } = await play(recording, { stopAt })
        expect(['cancelled', whole.outcome]).toContain(outcome)
        cells.stopped += 1
      }
    })
  })
})
