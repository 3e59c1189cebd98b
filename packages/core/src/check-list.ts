import type { BackgroundHooks } from './background-hooks.ts'
import { guardTexts, keepScore } from './guard-texts.ts'
import type { Guardrail } from './guardrail.ts'
import type { Eval, PostHook, PreHook } from './hook.ts'
import type { HookContext } from './hook-context.ts'
import type { HookRunner, HookTelling } from './hook-runner.ts'
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
      if (word.kind !== 'stop' && word.kind !== 'retry') continue
      // What ends here, or goes back to the model, is recorded all the same: the checks behind it have their say.
      const checked = await this.checkOnly({ ...subject, texts }, index + 1)
      return checked.kind === 'go' ? { ...said(word, hook.place.name), texts: checked.texts } : checked
    }
    const { runner, background } = this.#options
    const later = this.#hooks.filter(({ isLater }) => isLater)
    if (later.length > 0)
      dispatchLater(later, { runner, background, subject: { ...subject, texts }, phase: this.#options.phase })
    return { kind: 'go', texts }
  }

  /** Run the guardrails alone, those from one place on. */
  async checkOnly(subject: CheckSubject, from: number = 0): Promise<Checked> {
    let { texts } = subject
    for (const [index, hook] of this.#hooks.entries()) {
      if (index < from || !isGuard(hook)) continue
      const { value, word } = await this.#runOne(hook, { ...subject, texts }, index)
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
    const views = viewsOf(subject)
    // What a check has yet to see may hold what nobody should: it is not told.
    const isSeen = (from: number): boolean => !this.#hooks.slice(from).some(isGuard)
    const given = views.texts()
    const telling: HookTelling = {
      trigger: phase === 'input' ? 'input_not_allowed' : 'output_not_allowed',
      ...(isSeen(index) ? { before: views.text() } : { isUnseen: !isGuard(hook) }),
      after: (word) => {
        if (word.kind === 'replace') views.put(word.value)
        return { isChanged: views.texts() !== given, ...(isSeen(index + 1) && { value: views.text() }) }
      },
    }
    const call = async (context: HookContext): Promise<unknown> => {
      if ('check' in item) return this.#guardWith(item, subject, context)
      Object.assign(context, views.context)
      if ('evaluate' in item) return this.#evaluate(item, context)
      // The context has what this list's hooks are promised.
      return item.run(context as never)
    }
    const { word = { kind: 'go' } } = await runner.run(place, call, telling)
    // Before a question there is nobody to send back: it goes along.
    const isEarly = word.kind === 'retry' && slot === 'preHooks'
    if (isEarly) runner.inject(word.message)
    return { value: views.texts(), word: isEarly || word.kind === 'replace' ? { kind: 'go' } : word }
  }

  async #guardWith(
    guardrail: Guardrail,
    { texts, isStep }: CheckSubject,
    { signal }: Pick<HookContext, 'signal'>,
  ): Promise<unknown> {
    const { blocked, ...passed } = await this.#guard([guardrail], texts, { signal, ...(isStep && { isStep }) })
    if (blocked !== undefined) return { block: blocked.message, trigger: blocked.trigger, data: blocked.data }
    return 'texts' in passed && passed.texts !== texts ? { replace: passed.texts } : undefined
  }

  #guard(
    guardrails: readonly Guardrail[],
    texts: readonly string[],
    more: { readonly signal: AbortSignal; readonly isPartial?: true; readonly isStep?: true },
  ): Promise<Guarded> {
    const { runner, phase } = this.#options
    return guardTexts(runner, guardrails, { texts, phase, ...more })
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

function said(word: HookWord & { kind: 'stop' | 'retry' }, hook: string) {
  if (word.kind === 'retry') return { kind: 'retry', text: word.message, hook } as const
  return { kind: 'stop', outcome: { kind: 'completed', stoppedBy: hook } } as const
}

function isGuard({ item }: ListedHook): boolean {
  return 'check' in item
}

function listed(item: PreHook | PostHook, name: string, { slot, isHosted }: CheckListOptions): ListedHook {
  if (typeof item === 'function') return { place: { name, slot }, item: { run: item }, isLater: isHosted }
  const timeoutMs = item.kind !== 'guardrail' && item.timeoutMs !== undefined && { timeoutMs: item.timeoutMs }
  const isLater = item.kind !== 'guardrail' && (item.isBackground === true || isHosted)
  return { place: { name: item.name || name, slot, ...timeoutMs }, item, isLater }
}
