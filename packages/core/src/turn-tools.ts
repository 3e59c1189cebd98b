import type { ModelTool } from './model.ts'
import type { RunnerParts } from './runner-parts.ts'
import type { Tool } from './tool.ts'

/** The tools of one turn: listed when they are wanted first, and again when a source says that they changed. */
export class TurnTools {
  readonly #parts: RunnerParts
  readonly #signal: AbortSignal
  /** As listed last, while that is up to date. */
  known: readonly Tool[] | undefined
  #described: { readonly of: readonly Tool[]; readonly list: readonly ModelTool[] } | undefined
  #unwatch: (() => void) | undefined
  /** How often a source has said that its list changed. */
  #changes = 0

  constructor(parts: RunnerParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  async list(): Promise<readonly Tool[]> {
    this.#unwatch ??= this.#parts.watchTools?.(() => {
      this.known = undefined
      this.#changes += 1
    })
    if (this.known !== undefined) return this.known
    const before = this.#changes
    const tools = await this.#parts.listTools({ signal: this.#signal })
    // A list that changed while it was on its way serves this step and is asked for again at the next.
    if (before === this.#changes) this.known = tools
    return tools
  }

  /** The same list for the same tools, so that a model can keep what it made of it. */
  describe(tools: readonly Tool[]): readonly ModelTool[] {
    if (this.#described?.of !== tools) {
      const list = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      this.#described = { of: tools, list }
    }
    return this.#described.list
  }

  /** Listen no more. Throws what a source throws. */
  release(): void {
    this.#unwatch?.()
  }
}
