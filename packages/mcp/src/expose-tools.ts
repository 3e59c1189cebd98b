import {
  type Agent,
  createAgent,
  createMemoryLog,
  type Model,
  type Tool,
  type ToolSource,
  TurnloopError,
} from '@turnloop/core'
import { type DecideCall, runOneCall } from './one-call.ts'
import type { LeftOutTool } from './remote-tool.ts'
import { registerInPage, WEB_MCP, type WebMcpRegistry, type WebMcpTool, webMcpRegistry } from './web-mcp.ts'

/** Options of `exposeTools`. */
export interface ExposeOptions {
  /** Put before every name: letters, digits, `_`, `-` and `.`, at most 64. Default: nothing. */
  prefix?: string
  /** Whether a tool is exposed. Default: all are, but those that `pageTools` brought. */
  include?(tool: Tool): boolean
  /**
   * Asked where a person has to allow or answer a call. Absent: tools that always need a person are not exposed, and other
   * calls that turn out to need one are answered with an error.
   */
  decide?: DecideCall
  /** Origins whose frames may see and call the tools, beside this page's own. Default: none. */
  exposedTo?: readonly string[]
  /** Hears the names that are registered, now and after each change. */
  onExposed?(names: readonly string[]): void
  /** Hears of each tool that is not exposed, and why; with an empty name, that the list could not be had. */
  onLeftOut?(tool: LeftOutTool): void
  /** Default: `document.modelContext`. */
  registry?: WebMcpRegistry
}

/**
 * Offer tools to the agent of the browser, through the page's WebMCP registry; the returned function takes them back.
 *
 *     const stop = exposeTools(agent)              // or exposeTools([tool(…), workerTools(…)])
 *
 * Where there is no registry, nothing happens. A call runs as a turn of its own, without the agent's model: arguments are
 * checked, hooks and guardrails run (they find `metadata.calledBy: 'web-mcp'`), time limits hold, the caller's cancel is
 * the signal, and every failure is a result with `isError`. An effect of `'read'` becomes `readOnlyHint`, a tool that needs
 * approval has `consequentialHint`. Sources are listed again when they change. Calls under way survive the taking back.
 *
 * Throws `bad-option`, and `tool-list-failed` for a source that cannot be listened to.
 */
export function exposeTools(
  agentOrTools: Pick<Agent, 'parts' | 'clock'> | readonly (Tool | ToolSource)[],
  options: ExposeOptions = {},
): () => void {
  if (!/^[\w.-]{0,64}$/.test(options.prefix ?? '')) {
    const text = 'exposeTools: "prefix" must have at most 64 letters, digits, "_", "-" or ".".'
    throw new TurnloopError('bad-option', text)
  }
  const agent = 'parts' in agentOrTools ? agentOrTools : createAgent({ model: NO_MODEL, tools: agentOrTools })
  const registry = options.registry ?? webMcpRegistry()
  if (registry === undefined) return () => {}
  const exposure = new Exposure(agent, registry, options)
  return () => exposure.end()
}

const NO_MODEL: Model = {
  provider: 'none',
  modelId: 'none',
  stream: () => {
    throw new TypeError('There is no model.')
  },
}

interface Registration {
  readonly tool: Tool
  end(): void
}

class Exposure {
  readonly #agent: Pick<Agent, 'parts' | 'clock'>
  readonly #registry: WebMcpRegistry
  readonly #options: ExposeOptions
  readonly #over = new AbortController()
  readonly #registered = new Map<string, Registration>()
  readonly #unwatch: (() => void) | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(agent: Pick<Agent, 'parts' | 'clock'>, registry: WebMcpRegistry, options: ExposeOptions) {
    this.#agent = agent
    this.#registry = registry
    this.#options = options
    const { listTools, watchTools } = agent.parts(createMemoryLog(agent.clock))
    const update = async (): Promise<void> => {
      const { signal } = this.#over
      if (signal.aborted) return
      try {
        await this.#offer(await listTools({ signal }))
      } catch (error) {
        this.#leaveOut('', error)
      }
    }
    // One after the other, or an older list could win.
    const refresh = (): void => {
      this.#work = this.#work.then(update)
    }
    this.#unwatch = watchTools?.(refresh)
    refresh()
  }

  end(): void {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    for (const registration of this.#registered.values()) registration.end()
    this.#unwatch?.()
  }

  /** Bring the registrations in line with a list: what stays the same is not touched. */
  async #offer(tools: readonly Tool[]): Promise<void> {
    const { prefix = '' } = this.#options
    const wanted = new Map(tools.filter((tool) => this.#isOffered(tool)).map((tool) => [prefix + tool.name, tool]))
    for (const [name, registration] of this.#registered) if (wanted.get(name) !== registration.tool) registration.end()
    for (const [name, tool] of wanted) {
      if (this.#over.signal.aborted) return
      if (!this.#registered.has(name)) await this.#register(name, tool)
    }
    if (!this.#over.signal.aborted) tell(() => this.#options.onExposed?.([...this.#registered.keys()]))
  }

  #isOffered(tool: Tool): boolean {
    const { include, decide } = this.#options
    // Those of the registry are there already, and each would be registered over and over.
    if (tool.source === WEB_MCP || include?.(tool) === false) return false
    const needsPerson = tool.needsApproval === true || tool.askUser !== undefined || tool.isHostAnswered === true
    if (needsPerson && decide === undefined) this.#leaveOut(tool.name, 'a person has to be asked: give "decide"')
    return !needsPerson || decide !== undefined
  }

  async #register(name: string, tool: Tool): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    const end = (): void => {
      controller.abort()
      if (this.#registered.get(name) === registration) this.#registered.delete(name)
    }
    const registration: Registration = { tool, end }
    this.#registered.set(name, registration)
    try {
      const { exposedTo } = this.#options
      await registerInPage(this.#registry, this.#describe(name, tool), { signal, exposedTo })
    } catch (error) {
      end()
      this.#leaveOut(tool.name, error)
    }
  }

  #describe(name: string, tool: Tool): WebMcpTool {
    const { title, description, inputSchema, effect, needsApproval = false } = tool
    const { decide } = this.#options
    return {
      name,
      ...(title !== undefined && { title }),
      // The registry takes no tool without one.
      description: description || title || name,
      inputSchema,
      annotations: { readOnlyHint: effect === 'read', consequentialHint: needsApproval !== false },
      execute: (input, { signal } = {}) =>
        runOneCall(this.#agent, { toolName: tool.name, input, signal, decide, metadata: { calledBy: WEB_MCP } }),
    }
  }

  #leaveOut(name: string, why: unknown): void {
    const reason = why instanceof Error ? why.message : String(why)
    if (!this.#over.signal.aborted) tell(() => this.#options.onLeftOut?.({ name, reason }))
  }
}

/** Call a listener of the page's; what it throws is no business of the registrations. */
function tell(call: () => void): void {
  try {
    call()
  } catch {
    // Whoever listens has to look after what it does.
  }
}
