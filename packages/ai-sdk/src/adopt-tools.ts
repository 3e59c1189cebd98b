import {
  type ApprovalContext,
  type JsonValue,
  type Tool,
  type ToolContext,
  type ToolOptions,
  TurnloopError,
  tool,
} from '@turnloop/core'
import { adoptSchema } from './adopted-schema.ts'
import { fromModelOutput } from './model-output.ts'
import { createPromptWriter, type PromptWriter } from './prompt.ts'

/** A tool as `tool()` and `dynamicTool()` of `ai` return it, of any version, as far as it is read here. */
export interface AiSdkTool {
  readonly type?: 'function' | 'dynamic' | 'provider' | undefined
  readonly description?: string | ((options: never) => string) | undefined
  readonly title?: string | undefined
  /** A schema of zod 4.2 or later, `jsonSchema(…)`, or a function that gives one. */
  readonly inputSchema: object
  /** Absent: the host answers. An async generator's values are progress, and the last one is the result. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>) | undefined
  readonly toModelOutput?: ((options: never) => unknown) | undefined
}

/** What the loop wants to know of a tool that an AI SDK tool does not say. */
export interface AdoptOptions extends Pick<ToolOptions, 'effect' | 'exclusive' | 'timeoutMs' | 'stopAfter'> {
  /** What the tool's functions find as `context`, and tools of AI SDK 6 as `experimental_context`. Not checked. */
  context?: unknown
}

/**
 * Make tools of an agent out of tools that were written for `ai`, each under the name it is given by.
 *
 * They keep their schema, `execute`, `needsApproval` and `toModelOutput`; what the tool returned is kept for the page beside
 * what the model reads. `each` says what an AI SDK tool cannot: above all whether it may run twice (`effect`, default
 * `'unsafe'`). `onInputStart`, `onInputDelta` and `onInputAvailable` are not called.
 *
 * Throws `bad-option`, naming the tool, for a schema that cannot be shown to a model, a name that no provider takes, and a
 * tool that the provider defines or runs, such as its web search.
 */
export function adoptTools<Tools extends Readonly<Record<string, AiSdkTool>>>(
  tools: Tools,
  each: { readonly [Name in keyof NoInfer<Tools>]?: AdoptOptions } = {},
): Tool[] {
  const settings = new Map<string, AdoptOptions | undefined>(Object.entries(each))
  const stray = [...settings.keys()].find((name) => !Object.hasOwn(tools, name))
  if (stray !== undefined) throw new TurnloopError('bad-option', `adoptTools: there is no tool "${stray}" to set up.`)
  // One for all: they are shown the same conversation.
  const write = createPromptWriter({ version: 'v4', takesFiles: true })
  return Object.entries(tools).map(([name, given]) => adopt({ name, given, write, ...settings.get(name) }))
}

interface Adoption extends AdoptOptions {
  readonly name: string
  readonly given: AiSdkTool
  readonly write: PromptWriter
}

/** The functions of a tool, as they are called: with what its own schema and its own context gave. */
interface Functions {
  readonly description?: string | ((options: object) => string)
  readonly execute?: (input: unknown, options: object) => unknown
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | Promise<boolean>)
  readonly toModelOutput?: (options: object) => unknown
}

function adopt({ name, given, write, context, ...loop }: Adoption): Tool {
  const where = `adoptTools: ${name}`
  if (given.type === 'provider') {
    throw new TurnloopError(
      'bad-option',
      `${where} is defined by the provider. Leave it out: it is no function that a page could run.`,
    )
  }
  // Their arguments are `never` only so that a tool of any input fits.
  const { description, execute, needsApproval, toModelOutput } = given as unknown as Functions
  const optionsFor = (at: ApprovalContext | ToolContext): object => toolOptions(at, write, context)
  const text = typeof description === 'function' ? description({ context }) : description
  return tool({
    ...loop,
    name,
    description: text || given.title || name,
    ...(given.title !== undefined && { title: given.title }),
    input: adoptSchema(given.inputSchema, `${where}.inputSchema`),
    ...(needsApproval !== undefined && {
      needsApproval:
        typeof needsApproval === 'function'
          ? (input, at) => needsApproval.call(given, input, optionsFor(at))
          : needsApproval,
    }),
    ...(execute !== undefined && {
      execute: async (input: unknown, at: ToolContext) => {
        const returned = execute.call(given, input, optionsFor(at))
        const output = isAsyncIterable(returned) ? await lastOf(returned, at) : await returned
        if (toModelOutput === undefined) return output
        const shown = await toModelOutput.call(given, { toolCallId: at.callId, input, output })
        return fromModelOutput(shown, output)
      },
    }),
  })
}

/** What the functions of an AI SDK tool are told about their call. Signal and messages are made only if they look. */
function toolOptions(at: ApprovalContext | ToolContext, write: PromptWriter, context: unknown): object {
  return {
    toolCallId: at.callId,
    get messages() {
      // As the AI SDK has it: what the model was asked, without the reply that made the call.
      return write(undefined, at.messages.slice(0, -1))
    },
    get abortSignal() {
      return 'signal' in at ? at.signal : undefined
    },
    context,
    experimental_context: context,
  }
}

/** Each value is a whole preliminary result, the last one the final one: text is not joined. */
async function lastOf(stream: AsyncIterable<unknown>, { progress, signal }: ToolContext): Promise<unknown> {
  const iterator = stream[Symbol.asyncIterator]()
  let last: unknown
  for (;;) {
    const step = await iterator.next()
    if (step.done) return last
    last = step.value
    // Made plain on its way; what cannot be is described.
    progress(last as JsonValue)
    if (signal.aborted) break
  }
  // Not waited for: a generator may be deaf. What it throws while it is left is nobody's.
  new Promise((resolve) => resolve(iterator.return?.())).catch(() => {})
  throw signal.reason
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
