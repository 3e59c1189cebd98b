import { type JsonValue, resultText } from '@turnloop/core'
import type { Intent } from './intent.ts'
import { escapeMarkdown } from './markdown-table.ts'
import type { Script } from './plan.ts'
import { answerOf } from './read-results.ts'
import { exact, once, paragraphs, say, writeWith } from './script-parts.ts'

/** How a wish is carried out that names a tool. */
export function toolScript(
  intent: Extract<Intent, { kind: 'run-code' | 'ask-analyst' | 'call-tool' }>,
  tools: ReadonlySet<string>,
): Script {
  if (intent.kind === 'run-code') return codeScript(intent.code)
  return intent.kind === 'ask-analyst' ? analystScript(intent.task) : callScript(intent, tools)
}

/** Run code that the person wrote, and tell what it came to. */
function codeScript(code: string): Script {
  return once(
    'run_javascript',
    { code },
    {
      thought: 'Running the code in the sandbox: it can reach neither the network nor this page.',
      write: (result) =>
        writeWith(answerOf(result, 'run_javascript'), ({ value, console, note }) =>
          paragraphs([
            note ?? valueText(value),
            console === undefined ? undefined : `It wrote to the console:\n\n${fence(console)}`,
          ]),
        ),
    },
  )
}

/** Hand a question to the second agent, and pass its answer on as it is. */
function analystScript(task: string): Script {
  return once(
    'ask_analyst',
    { task },
    {
      thought: 'Handing this to the analyst.',
      write: (result) => (result === undefined ? '' : `The analyst says:\n\n${resultText(result.result)}`),
    },
  )
}

/** Call a tool by its name, and show what it said as what somebody else said. */
function callScript({ name, input }: Extract<Intent, { kind: 'call-tool' }>, tools: ReadonlySet<string>): Script {
  const toolName = findTool(name, tools)
  if (typeof toolName !== 'string') return say(noTool(name, toolName))
  return once(toolName, input, {
    thought: `Calling ${name}.`,
    write: (result) => {
      const text = result === undefined ? '' : resultText(result.result).trim()
      return text === ''
        ? `\`${name}\` is done. What it gave is in its line above.`
        : `\`${name}\` says:\n\n${fence(text)}`
    },
  })
}

/** The tool of that name; else the one that a server calls so, behind the server's prefix; else all that it could be. */
function findTool(name: string, tools: ReadonlySet<string>): string | readonly string[] {
  if (tools.has(name)) return name
  const [only, ...more] = [...tools].filter((tool) => tool.endsWith(`_${name}`))
  if (only === undefined) return []
  return more.length === 0 ? only : [only, ...more]
}

function noTool(name: string, couldBe: readonly string[]): string {
  if (couldBe.length === 0) return `I was given no tool \`${name}\`. The settings, under Tools, say which there are.`
  return `More than one server has \`${name}\`. Call one of: ${couldBe.map((tool) => `\`${tool}\``).join(', ')}.`
}

/** More than this of an answer is left to the tool's own line. */
const MOST_CHARACTERS = 1_500

function fence(text: string): string {
  const cut = text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}\n…`
  // Longer than any run of backticks in it, so that nothing in it ends the block.
  const mark = '`'.repeat(Math.max(3, ...(cut.match(/`+/g) ?? []).map((run) => run.length + 1)))
  return `${mark}text\n${cut}\n${mark}`
}

function valueText(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) return `It gives:\n\n${fence(JSON.stringify(value, null, 2))}`
  const text =
    typeof value === 'string' ? `“${escapeMarkdown(value)}”` : `**${value === null ? 'null' : exact(value)}**`
  return `It gives ${text}.`
}
