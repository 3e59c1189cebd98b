import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isStepCount, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from 'ai'
import { recordedModel } from './recorded-model.ts'
import type { Recording } from './recordings.ts'

/** What the AI SDK's own loop makes of a recording. */
export interface OracleRun {
  readonly text: string
  /** What it asked, the last being the one after its turn. */
  readonly prompts: readonly LanguageModelV4Prompt[]
  /** It ended in an error, or could not go on after its turn: what it asked until then is all there is. */
  readonly failed: boolean
}

/** Play a recording through `streamText`, and ask once more with what it left. */
export async function oracle(recording: Recording, names: readonly string[]): Promise<OracleRun> {
  const { model, prompts } = recordedModel(recording)
  let ran = 0
  const execute = (): string => `result ${++ran}`
  const tools: ToolSet = Object.fromEntries(
    names.map((name) => [name, tool({ inputSchema: jsonSchema({ type: 'object' }), execute })]),
  )
  const run = streamText({
    model,
    tools,
    prompt: 'go',
    maxRetries: 0,
    stopWhen: isStepCount(recording.responses.length + 3),
    onError() {},
  })
  let text = ''
  let failed = false
  for await (const part of run.fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') failed = true
  }
  if (!failed) {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'go' },
      ...(await run.responseMessages),
      { role: 'user', content: 'go on' },
    ]
    const onError = (): void => {
      failed = true
    }
    await streamText({ model, messages, tools, maxRetries: 0, onError }).consumeStream()
  }
  return { text, prompts, failed }
}
