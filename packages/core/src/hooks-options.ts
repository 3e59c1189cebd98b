import type { BackgroundOptions } from './background-hooks.ts'
import type { Guardrail } from './guardrail.ts'
import type { PostHook, PreHook } from './hook.ts'
import type { LoopHooks } from './loop-hooks.ts'
import type { OutputMode } from './reply-listener.ts'
import type { ToolHook } from './tool-hook.ts'

/** Options of `defineHooks`: what watches, changes, checks and stops the turns of an agent. */
export interface HooksOptions extends LoopHooks {
  /** See the input before anything is sent, in order; may change or block it. */
  preHooks?: readonly PreHook[]
  /** See the answer before it is returned, in order; may change or block it. Guardrails here judge every reply. */
  postHooks?: readonly PostHook[]
  /** Middleware around every tool call, the first outermost. */
  toolHooks?: readonly ToolHook[]
  /** Check arguments before tools run, and results before the model reads them. */
  toolGuardrails?: readonly Guardrail[]
  /**
   * How growing text is shown that guardrails in `postHooks` have yet to judge. `'off'`, the default: at once, and retracted
   * where it does not pass. `'buffer'`: not before it has passed. `{ window }`: checked as it grows, the last that many
   * characters held back. No mode is both fast and safe.
   */
  outputMode?: OutputMode
  /** How often the model may be sent back by hooks, per turn. Default 2. */
  maxHookRetries?: number
  /** What is kept of blocked text, in the log's `rejected`. `'redacted'`: as `redact` leaves it. Default `'none'`. */
  storeRejected?: 'none' | 'redacted' | 'full'
  /** Takes the place of a blocked answer. Default: `This answer was withheld.` */
  safeMessage?: string
  /** `'always'`: keep what a turn changed of the state also where its input was blocked. Default `'completed'`. */
  commitStateOn?: 'completed' | 'always'
  /** `'all'`: guardrails first, then every plain pre- and post-hook in the background. Default `'marked'`. */
  backgroundHooks?: 'marked' | 'all'
  background?: BackgroundOptions
  /** Takes out of every text what no event, error or record may hold. */
  redact?: (text: string) => string
}

/** The sets of one agent, merged: lists in order, single values by the last. */
export type MergedHooks = Omit<HooksOptions, keyof LoopHooks> & {
  /** Each set's own, in order. */
  readonly loop: readonly LoopHooks[]
}
