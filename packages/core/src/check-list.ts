import type { BackgroundHooks } from './background-hooks.ts'
import { guardTexts, keepScore } from './guard-texts.ts'
import type { Guardrail } from './guardrail.ts'
import type { Eval, PostHook, PreHook } from './hook.ts'
import type { HookContext } from './hook-context.ts'
import type { HookEnd, HookRunner } from './hook-runner.ts'
import { type CheckSubject, viewsOf } from './hook-views.ts'
import type { JsonObject } from './json.ts'
import { dispatchLater, type ListedHook } from './later-hooks.ts'
import type { Outcome } from './outcome.ts'
import type { Guarded } from './run-guardrails.ts'
import { blockedOutcome, type HookWord } from './turn-control.ts'

/** What a list made of it. */
export type Checked =
  | { readonly kind: 'go'; readonly texts: readonly string[] }
  | { readonly kind: 'block'; readonly outcome: Outcome & { readonly kind: 'blocked' } }
  | { readonly kind: 'stop'; readonly outcome: Outcome; readonly texts: readonly string[] }
  | { readonly kind: 'retry'; readonly text: string; readonly hook: string; readonly texts: readonly string[] }

/** What a list is made of. */
export interface CheckListOptions {
  readonly runner: HookRunner
  readonly background: BackgroundHooks
  readonly items: readonly (PreHook | PostHook)[]
  readonly slot: 'preHooks' | 'postHooks'
  readonly phase: 'input' | 'output'
  /** Every plain hook runs in the background, behind all guardrails. */
  readonly isHosted: boolean
}

/** `preHooks` or `postHooks`: runs them in order, each on what the one before left. */
export class CheckList {
  readonly #options: CheckListOptions
  readonly #hooks: readonly ListedHook[]
  readonly #guardrails: readonly ListedHook[]

  constructor(options: CheckListOptions) {
    this.#options = options
    const hooks = options.items.map((item, index) => listed(item, `${options.slot}[${index}]`, options))
    this.#guardrails = hooks.filter(isGuard)
    this.#hooks = options.isHosted ? [...this.#guardrails, ...hooks.filter((hook) => !isGuard(hook))] : hooks
  }

  get isEmpty(): boolean {
    return this.#hooks.length === 0
  }

  get hasGuardrails(): boolean {
    return this.#guardrails.length > 0
  }

  /** Run the whole list. The first that does not let it pass is the last that runs. */
  async run(subject: CheckSubject): Promise<Checked> {
    let { texts } = subject
    for (const [index, hook] of this.#hooks.entries()) {
      if (hook.isLater) continue
      const { value, word } = await this.#runOne(hook, { ...subject, texts }, index)
      if (word.kind === 'block') return this.#block(word, hook)
      texts = value
      if (word.kind === 'stop')
        return { kind: 'stop', outcome: { kind: 'completed', stoppedBy: hook.place.name }, texts }
      if (word.kind === 'retry') return { kind: 'retry', text: word.message, hook: hook.place.name, texts }
    }
    const { runner, background } = this.#options
    const later = this.#hooks.filter(({ isLater }) => isLater)
    if (later.length > 0)
      dispatchLater(later, { runner, background, subject: { ...subject, texts }, phase: this.#options.phase })
    return { kind: 'go', texts }
  }

  /** Run the guardrails alone. */
  async checkOnly(subject: CheckSubject): Promise<Checked> {
    let { texts } = subject
    for (const hook of this.#guardrails) {
      const { value, word } = await this.#runOne(hook, { ...subject, texts }, this.#hooks.indexOf(hook))
      if (word.kind === 'block') return this.#block(word, hook)
      texts = value
    }
    return { kind: 'go', texts }
  }

  /** Check texts that are still growing; without events, since it happens many times. Never rejects. */
  async checkGrowing(texts: readonly string[]): Promise<Checked> {
    const { turn } = this.#options.runner
    try {
      const guardrails = this.#guardrails.flatMap(({ item }) => ('check' in item ? [item] : []))
      const guarded = await this.#guard(guardrails, texts, { signal: turn.signal, isPartial: true })
      if (guarded.blocked === undefined) return { kind: 'go', texts: guarded.texts }
      const hook = this.#guardrails.find(({ place }) => place.name === guarded.blocked.guardrail) ?? this.#guardrails[0]
      return this.#block({ ...guarded.blocked }, hook)
    } catch {
      // The turn was stopped: nothing more is shown.
      return { kind: 'go', texts: texts.map(() => '') }
    }
  }

  /** How many characters at the end of a growing text may still become part of a finding. */
  holdLength(text: string): number {
    return Math.max(0, ...this.#guardrails.map(({ item }) => ('check' in item ? (item.holdLength?.(text) ?? 0) : 0)))
  }

  /** Run one; what it leaves the texts as, and what it says. A failure says nothing. */
  async #runOne(
    hook: ListedHook,
    subject: CheckSubject,
    index: number,
  ): Promise<{ readonly value: readonly string[]; readonly word: HookWord }> {
    const { runner, phase, slot } = this.#options
    const { item, place } = hook
    const { texts } = subject
    const views = viewsOf(subject)
    // What a check has yet to see may hold what nobody should: it is not told.
    const isSeen = (from: number): boolean => !this.#hooks.slice(from).some(isGuard)
    const shown = (): string => views.text()
    const telling = {
      trigger: phase === 'input' ? 'input_not_allowed' : 'output_not_allowed',
      ...(isSeen(index) && { before: shown() }),
      after: () => (isSeen(index + 1) ? shown() : undefined),
    }
    const call = async (context: HookContext): Promise<unknown> => {
      if ('check' in item) return this.#guardWith(item, texts, context)
      Object.assign(context, views.context)
      if ('evaluate' in item) return this.#evaluate(item, context)
      // The context has what this list's hooks are promised.
      return item.run(context as never)
    }
    const end: HookEnd = await runner.run(place, call, telling)
    if (end.word === undefined) return { value: views.texts(), word: { kind: 'go' } }
    if (end.word.kind !== 'replace') {
      if (end.word.kind === 'retry' && slot === 'preHooks') return { value: views.texts(), word: { kind: 'go' } }
      return { value: views.texts(), word: end.word }
    }
    const { value } = end.word
    if (Array.isArray(value)) return { value: value.map(String), word: { kind: 'go' } }
    views.replace(String(value))
    return { value: views.texts(), word: { kind: 'go' } }
  }

  async #guardWith(guardrail: Guardrail, texts: readonly string[], context: HookContext): Promise<unknown> {
    const { blocked, ...passed } = await this.#guard([guardrail], texts, context)
    if (blocked !== undefined) return { block: blocked.message, trigger: blocked.trigger, data: blocked.data }
    return 'texts' in passed && passed.texts !== texts ? { replace: passed.texts } : undefined
  }

  #guard(
    guardrails: readonly Guardrail[],
    texts: readonly string[],
    context: Pick<HookContext, 'signal'> & Partial<Pick<HookContext, 'run'>> & { readonly isPartial?: true },
  ): Promise<Guarded> {
    const { runner, phase } = this.#options
    return guardTexts(runner, guardrails, { texts, phase, ...context })
  }

  async #evaluate(item: Eval, context: HookContext): Promise<undefined> {
    const { runner, phase } = this.#options
    // The context has what evals are promised.
    const found = await item.evaluate(context as never)
    keepScore(runner, item, found, phase)
    return undefined
  }

  #block(word: { message: string; trigger: string; data?: JsonObject }, hook: ListedHook | undefined): Checked {
    const { slot, phase, runner } = this.#options
    const told = { ...word, message: runner.redact(word.message) }
    return { kind: 'block', outcome: blockedOutcome(told, { hook: hook?.place.name ?? slot, slot, phase }) }
  }
}

function isGuard({ item }: ListedHook): boolean {
  return 'check' in item
}

function listed(item: PreHook | PostHook, name: string, { slot, isHosted }: CheckListOptions): ListedHook {
  if (typeof item === 'function') return { place: { name, slot }, item: { run: item }, isLater: isHosted }
  const timeoutMs = item.kind !== 'guardrail' && item.timeoutMs !== undefined && { timeoutMs: item.timeoutMs }
  const isLater = item.kind !== 'guardrail' && (item.isBackground === true || (isHosted && item.kind === 'hook'))
  return { place: { name: item.name || name, slot, ...timeoutMs }, item, isLater }
}
