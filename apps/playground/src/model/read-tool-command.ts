import type { JsonObject } from '@turnloop/core'
import type { Intent } from './intent.ts'

/** Understand what names a tool: code to run, the second agent, a tool with its arguments. */
export function readToolCommand(text: string): Intent | undefined {
  return readCode(text) ?? readAnalyst(text) ?? readCall(text)
}

const RUN =
  /^\s*(?:please\s+)?(?:run|execute|evaluate)\s+(?:(?:this|the|some)\s+)?(java\s?script|js|code)?(?:\s+code)?\s*(:?)\s*/i
const FENCED = /^```\w*\s*?\n([\s\S]*?)\n?```\s*$|^`([^`]+)`[\s.!]*$/

/** "run this JavaScript: …", and "run `…`", since nothing else that is asked for stands between backticks. */
function readCode(text: string): Intent | undefined {
  const begin = RUN.exec(text)
  if (begin === null) return undefined
  const [whole, language, colon] = begin
  const rest = text.slice(whole.length)
  const fenced = FENCED.exec(rest)
  const code = fenced?.[1] ?? fenced?.[2] ?? (language !== undefined && colon !== '' ? rest : '')
  return code.trim() === '' ? undefined : { kind: 'run-code', code: code.trim() }
}

function readAnalyst(text: string): Intent | undefined {
  const task = /^\s*(?:please\s+)?(?:ask|have|let)\s+(?:the|an)\s+analyst(?:\s+to\b|\s*[:,])?\s+(\S[\s\S]*)$/i.exec(
    text,
  )?.[1]
  return task === undefined ? undefined : { kind: 'ask-analyst', task: task.trim() }
}

/** "call get-sum with {"a": 2, "b": 3}", "use the tool echo". */
function readCall(text: string): Intent | undefined {
  const found =
    /^\s*(?:please\s+)?(?:call|use)\s+(?:the\s+)?(tool\s+)?[`"“]?([\w.-]+)[`"”]?(\s+tool)?(?:\s+with)?\s*:?\s*(\{[\s\S]*\})?[\s.!]*$/i.exec(
      text,
    )
  if (found === null) return undefined
  const [, before, name = '', after, json] = found
  const input = json === undefined ? {} : readObject(json)
  if (input === undefined || (json ?? before ?? after) === undefined) return undefined
  return { kind: 'call-tool', name, input }
}

function readObject(json: string): JsonObject | undefined {
  try {
    // It begins with a brace, so what is read is an object.
    const input: JsonObject = JSON.parse(json)
    return input
  } catch {
    return undefined
  }
}
