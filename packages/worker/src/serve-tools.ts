import { type Clock, systemClock, type Tool, TurnloopError } from '@turnloop/core'
import { PROTOCOL_VERSION, readMessage, type ToolDescriptor, type ToWorker } from './protocol.ts'
import { type PostToPage, ServedCalls } from './served-calls.ts'

/** What `serveTools` talks through: a worker's global scope, or a started `MessagePort`. */
export interface ServePort {
  postMessage(message: unknown, transfer: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/** Options of `serveTools()`; only tests need them. */
export interface ServeOptions {
  /** Default: the worker's global scope. */
  port?: ServePort
  clock?: Clock
}

/**
 * Serve tools from a Web Worker to the page's `workerTools`.
 *
 *     serveTools([tool({ name: 'query_table', … })])
 *
 * Call it once, as soon as the script runs: the page waits for it. Load large things inside the tools instead. Messages
 * of your own may share the worker; those that are not ours are ignored.
 *
 * A tool's context holds everything but the transcript: `messages` is empty, since it would have to be copied for each
 * call. `state` is copied, and what the tool made of it is stored with its result. A returned async iterable or stream reaches the page chunk by chunk, and is read here only as fast as there; what
 * `transfer` lists is moved rather than copied. Progress is held to 50 updates a second after the first 20.
 *
 * Throws `bad-option` for what is no tool, a name used twice, and a tool with hooks.
 */
export function serveTools(tools: readonly Tool[], options: ServeOptions = {}): void {
  const byName = indexTools(tools)
  // In a worker the global scope is its port; TypeScript only knows the page's, whose postMessage differs.
  const port = options.port ?? (globalThis as unknown as ServePort)
  const post: PostToPage = (message, transfer = []) => port.postMessage(message, [...transfer])
  const calls = new ServedCalls(byName, post, options.clock ?? systemClock)
  const announce = (): void => {
    post({ kind: 'turnloop:ready', version: PROTOCOL_VERSION, tools: tools.map(describe) })
  }
  port.addEventListener('message', (event) => {
    const message = readMessage<ToWorker>(event.data)
    switch (message?.kind) {
      case 'turnloop:hello':
        return announce()
      case 'turnloop:call':
        return calls.check(message)
      case 'turnloop:start':
        return calls.start(message.id)
      case 'turnloop:ack':
        return calls.ack(message.id, message.count)
      case 'turnloop:cancel':
        return calls.cancel(message.id, message.reason)
      default:
      // Not ours, or of a later version.
    }
  })
  announce()
}

function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (typeof tool?.execute !== 'function' || typeof tool.check !== 'function') {
      throw new TurnloopError('bad-option', 'serveTools: expected tools made by tool().')
    }
    if (byName.has(tool.name)) throw badTool(tool, 'is the name of two tools')
    // They belong to the turn, which is in the page. Leaving them out in silence would leave out what guards a tool.
    if (tool.hooks) throw badTool(tool, 'has hooks, which cannot run in a worker: give them to the agent')
    byName.set(tool.name, tool)
  }
  return byName
}

function badTool({ name }: Tool, problem: string): TurnloopError {
  return new TurnloopError('bad-option', `serveTools: ${JSON.stringify(name)} ${problem}.`)
}

/**
 * Field by field: a tool may carry functions and other things of its own, which cannot be posted. A condition on approval
 * is one of them: its page asks a person every time.
 */
function describe(tool: Tool): ToolDescriptor {
  const { name, description, title, inputSchema, effect, exclusive, timeoutMs } = tool
  const { needsApproval, askUser, isHostAnswered, stopAfter } = tool
  return {
    name,
    description,
    inputSchema,
    effect,
    exclusive,
    ...(title !== undefined && { title }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(needsApproval !== undefined && { needsApproval: needsApproval !== false }),
    ...(askUser !== undefined && { askUser }),
    ...(isHostAnswered !== undefined && { isHostAnswered }),
    ...(stopAfter !== undefined && { stopAfter }),
  }
}
