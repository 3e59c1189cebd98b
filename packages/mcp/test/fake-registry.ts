import type { WebMcpListedTool, WebMcpRegistry, WebMcpTool } from '../src/web-mcp.ts'

/** A WebMCP registry that does as that of Chromium 156 does. */
export class FakeRegistry extends EventTarget implements WebMcpRegistry {
  readonly tools: Map<string, WebMcpTool> = new Map<string, WebMcpTool>()
  /** More rows for the list, as of frames. */
  readonly rows: WebMcpListedTool[] = []
  /** What the list rejects with. */
  refusal: Error | undefined
  exposedTo: readonly string[] | undefined

  async registerTool(
    tool: WebMcpTool,
    { signal, exposedTo }: { signal: AbortSignal; exposedTo?: readonly string[] },
  ): Promise<void> {
    this.exposedTo = exposedTo
    if (!/^[\w.-]{1,128}$/.test(tool.name)) throw new DOMException('Invalid tool name', 'InvalidStateError')
    if (tool.description === '') throw new DOMException('Description is required', 'InvalidStateError')
    if (this.tools.has(tool.name)) throw new DOMException('Duplicate tool name', 'InvalidStateError')
    signal.throwIfAborted()
    this.tools.set(tool.name, tool)
    signal.addEventListener('abort', () => {
      this.tools.delete(tool.name)
      this.dispatchEvent(new Event('toolchange'))
    })
    this.dispatchEvent(new Event('toolchange'))
  }

  async getTools(): Promise<readonly WebMcpListedTool[]> {
    if (this.refusal !== undefined) throw this.refusal
    const own = Array.from(this.tools.values(), ({ execute: _execute, ...row }) => ({
      title: '',
      ...row,
      origin: 'https://page.test',
      window: globalThis,
    }))
    return [...this.rows, ...own]
  }

  async executeTool(
    { name }: WebMcpListedTool,
    input: object,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<string> {
    const tool = this.tools.get(name)
    if (tool === undefined) throw new DOMException('The operation failed', 'UnknownError')
    const inner = new AbortController()
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        inner.abort()
        reject(signal.reason)
      })
    })
    const run = async (): Promise<string> => {
      try {
        const result: unknown = await tool.execute(JSON.parse(JSON.stringify(input)), { signal: inner.signal })
        return typeof result === 'string' ? result : String(JSON.stringify(result))
      } catch {
        throw new DOMException('Tool was executed but the invocation failed.', 'UnknownError')
      }
    }
    return Promise.race([run(), aborted])
  }

  /** Register as a script of the page does. */
  async add(
    name: string,
    execute: (input: unknown) => unknown,
    more: Partial<WebMcpTool> & { signal?: AbortSignal } = {},
  ): Promise<void> {
    const { signal = new AbortController().signal, ...rest } = more
    // Scripts of the page may return anything; here only the exposed ones are typed.
    const run = execute as WebMcpTool['execute']
    const schema = { type: 'object' }
    await this.registerTool(
      { name, description: 'A tool', inputSchema: schema, annotations: {}, ...rest, execute: run },
      { signal },
    )
  }

  /** Call as the agent of the browser does, and read the result. */
  async call(name: string, input: object = {}, signal?: AbortSignal): Promise<unknown> {
    return JSON.parse(await this.executeTool({ name, description: '' }, input, signal === undefined ? {} : { signal }))
  }
}
