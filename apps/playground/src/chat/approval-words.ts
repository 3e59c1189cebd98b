import type { JsonValue, PendingRequest } from '@turnloop/core'
import type { ToolOrigin } from './tool-origin.ts'
import { isObject } from './tool-words.ts'

/** What is asked of a person, in plain words. */
export interface RequestWords {
  readonly title: string
  readonly detail: string
}

/** What the assistant wants, and what comes of it. */
export function requestWords(request: PendingRequest, origin: ToolOrigin = { name: request.toolName }): RequestWords {
  const { toolName, ask, input } = request
  const { name, server } = origin
  if (ask === 'answer') {
    const detail = 'The assistant waits for your answer.'
    return { title: textOf(input, 'question') ?? `${toolName} asks you something`, detail }
  }
  if (ask === 'fields') return { title: `Fill in what ${toolName} needs`, detail: 'The assistant cannot know this.' }
  const table = textOf(input, 'table')
  if (toolName === 'export_table' && table !== undefined) {
    const title = `Save the table ${table} as a file?`
    return { title, detail: 'It goes to the downloads of this computer. Nothing is sent anywhere.' }
  }
  if (server !== undefined) {
    const detail = `It runs on the server ${server}: these arguments are sent there.`
    return { title: `Run ${name}?`, detail }
  }
  return { title: `Run ${toolName}?`, detail: 'The assistant wants to run it with these arguments.' }
}

/** The answers that a question offers. */
export function offeredAnswers({ input }: PendingRequest): readonly string[] {
  if (!isObject(input) || !Array.isArray(input.options)) return []
  return input.options.filter((option) => typeof option === 'string')
}

function textOf(input: JsonValue, name: string): string | undefined {
  if (!isObject(input)) return undefined
  const value = input[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
