import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type Tool,
  type ToolContext,
  type ToolEffect,
  tool,
} from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { isObject, mendSchema } from './mend-schema.ts'
import { showSchema } from './show-schema.ts'
import { toToolName } from './tool-names.ts'

/** What a server says about one of its tools. Nothing in it is to be trusted more than the server is. */
export interface McpToolDetails {
  /** The server's own name for it. */
  readonly name: string
  /** What the model calls it. */
  readonly toolName: string
  readonly title?: string
  readonly description: string
  /** The schema as the server sent it. */
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
  readonly _meta?: JsonObject
}

/** What a page decides about one tool. */
export interface McpToolSettings {
  /** Default: `'read'` with `readOnlyHint`, `'idempotent'` with `idempotentHint`, else `'unsafe'`. */
  effect?: ToolEffect
  /** As in `tool()`. */
  needsApproval?: Tool['needsApproval']
  /** Run alone, not beside the other calls of its batch. Default `false`. */
  exclusive?: boolean
}

/** A tool of the server that is not offered, and why. */
export interface LeftOutTool {
  /** The server's name for it; empty if it has none. */
  readonly name: string
  readonly reason: string
}

/** Runs one call of a tool. */
export type RunRemote = (details: McpToolDetails, call: RemoteCall) => Promise<unknown>

/** One call of a tool of a server. */
export interface RemoteCall {
  readonly input: JsonObject
  readonly effect: ToolEffect
  readonly context: ToolContext
}

/** How the tools of a list are made. */
export interface RemoteToolOptions {
  readonly prefix?: string | undefined
  readonly configure?: ((details: McpToolDetails) => McpToolSettings | false | undefined) | undefined
  readonly run: RunRemote
}

/** The tools of a list, and those left out of it. */
export interface RemoteTools {
  readonly tools: readonly Tool[]
  readonly details: ReadonlyMap<string, McpToolDetails>
  readonly leftOut: readonly LeftOutTool[]
}

/**
 * Make tools of what a server listed, in its order. One that cannot be offered is left out and costs no other.
 *
 * What `configure` throws is thrown.
 */
export function toRemoteTools(listed: readonly unknown[], options: RemoteToolOptions): RemoteTools {
  const tools: Tool[] = []
  const details = new Map<string, McpToolDetails>()
  const leftOut: LeftOutTool[] = []
  for (const item of listed) {
    const read = readDetails(item, options.prefix)
    if ('reason' in read) leftOut.push(read)
    else if (details.has(read.toolName)) leftOut.push({ name: read.name, reason: 'another tool has the same name' })
    else {
      const made = makeTool(read, options)
      if (made === undefined) continue
      if ('reason' in made) leftOut.push(made)
      else {
        tools.push(made)
        details.set(read.toolName, read)
      }
    }
  }
  return { tools, details, leftOut }
}

function readDetails(item: unknown, prefix: string | undefined): McpToolDetails | LeftOutTool {
  // Plain JSON, as it came from the server.
  const raw = item as JsonValue | undefined
  if (!isObject(raw)) return { name: '', reason: 'it is no object' }
  const { name, description, inputSchema = {}, outputSchema, annotations, execution, _meta } = raw
  if (typeof name !== 'string' || name === '') return { name: '', reason: 'it has no name' }
  if (!isObject(inputSchema)) return { name, reason: 'its inputSchema is no object' }
  if (isObject(execution) && execution.taskSupport === 'required') {
    return { name, reason: 'it runs as a task only, which is not supported' }
  }
  const hints = isObject(annotations) ? annotations : {}
  const title = typeof raw.title === 'string' ? raw.title : hints.title
  return {
    name,
    toolName: toToolName(name, prefix),
    ...(typeof title === 'string' && { title }),
    description: typeof description === 'string' ? description : '',
    inputSchema,
    ...(isObject(outputSchema) && { outputSchema }),
    annotations: hints,
    ...(isObject(_meta) && { _meta }),
  }
}

function makeTool(details: McpToolDetails, options: RemoteToolOptions): Tool | LeftOutTool | undefined {
  const settings = options.configure?.(details)
  if (settings === false) return undefined
  const { needsApproval, exclusive, effect = effectOf(details) } = settings ?? {}
  const { name, toolName, title, description } = details
  let schema: Schema<JsonObject>
  try {
    schema = toSchema(details.inputSchema)
  } catch (error) {
    return { name, reason: `its schema cannot be used: ${error instanceof Error ? error.message : String(error)}` }
  }
  return tool({
    name: toolName,
    description: description || title || name,
    ...(title !== undefined && { title }),
    source: 'mcp',
    input: schema,
    effect,
    ...(exclusive !== undefined && { exclusive }),
    ...(needsApproval !== undefined && { needsApproval }),
    execute: (input, context) => options.run(details, { input, effect, context }),
  })
}

/** A hint counts only if it is exactly `true`: whoever gives none has an unsafe tool. */
function effectOf({ annotations }: McpToolDetails): ToolEffect {
  if (annotations.readOnlyHint === true) return 'read'
  return annotations.idempotentHint === true ? 'idempotent' : 'unsafe'
}

/** Shown in the form that every provider takes, checked against all that the server wrote. */
function toSchema(inputSchema: JsonObject): Schema<JsonObject> {
  const mended = mendSchema(inputSchema)
  const shown = showSchema(mended)
  const convert = (): Record<string, unknown> => ({ ...shown })
  const { validate } = jsonSchema(mended)['~standard']
  return {
    '~standard': {
      version: 1,
      vendor: 'turnloop',
      jsonSchema: { input: convert, output: convert },
      validate: (value) => {
        try {
          return validate(value)
        } catch {
          // What the checker cannot read, such as a pattern that only lax RegExp takes, is left to the server.
          return { value: value as JsonObject }
        }
      },
    },
  }
}
