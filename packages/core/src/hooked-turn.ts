import type { BackgroundHooks } from './background-hooks.ts'
import { callLayer } from './call-layer.ts'
import { CheckList } from './check-list.ts'
import type { LiveEventBody } from './events.ts'
import { type HookRunner, runnerOf } from './hook-runner.ts'
import { subjectOf, withInputTexts, withReplyTexts } from './hook-views.ts'
import type { MergedHooks } from './hooks-options.ts'
import type { AssistantMessage, ToolResult, UserMessage } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome } from './outcome.ts'
import { HoldingListener, openListener } from './reply-listener.ts'
import type { RunningTurn } from './running-turn.ts'
import type { CallLayer, FinalFacts, HeardReply, HookSteps, Judged, ReplyListener, TurnHooks } from './turn-hooks.ts'
import { TurnPoints } from './turn-points.ts'

const SAFE_MESSAGE = 'This answer was withheld.'

/** The hooks of one turn: each list in its order, each at its point. */
export class HookedTurn implements TurnHooks {
  readonly steps: HookSteps
  readonly calls: CallLayer
  readonly #turn: RunningTurn
  readonly #hooks: MergedHooks
  readonly #runner: HookRunner
  readonly #pre: CheckList
  readonly #post: CheckList
  readonly #points: TurnPoints

  constructor(turn: RunningTurn, hooks: MergedHooks, brought: { background: BackgroundHooks; steps: HookSteps }) {
    const { background, steps } = brought
    this.steps = steps
    this.#turn = turn
    this.#hooks = hooks
    this.#runner = runnerOf(turn, hooks.redact)
    const { backgroundHooks = 'marked', preHooks = [], postHooks = [] } = hooks
    const list = { runner: this.#runner, background, isHosted: backgroundHooks === 'all' }
    this.#pre = new CheckList({ ...list, items: preHooks, slot: 'preHooks', phase: 'input' })
    this.#post = new CheckList({ ...list, items: postHooks, slot: 'postHooks', phase: 'output' })
    this.#points = new TurnPoints(this.#runner, hooks.loop)
    this.calls = callLayer(this.#runner, hooks)
  }

  get guardsInput(): boolean {
    return !this.#pre.isEmpty
  }

  get maxRetries(): number {
    return this.#hooks.maxHookRetries ?? 2
  }

  get judgesReplies(): boolean {
    return !this.#post.isEmpty
  }

  async input(messages: readonly UserMessage[]): Promise<Judged<readonly UserMessage[]>> {
    const parts = messages.flatMap(({ content }) => content)
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const checked = await this.#pre.run({ texts, messages })
    if (checked.kind === 'block') {
      const shown = messages.map((message) => ({ ...message, content: [], synthetic: 'blocked' as const }))
      return { kind: 'end', outcome: checked.outcome, shown, ...this.#rejected(messages) }
    }
    const value = withInputTexts(messages, checked.texts)
    // Nothing has been asked yet, so there is nobody to let read it: it goes along.
    if (checked.kind === 'stop') return { kind: 'end', outcome: checked.outcome, shown: value }
    return { kind: 'go', value }
  }

  request(request: ModelRequest, again: () => Promise<ModelRequest>): Promise<Judged<ModelRequest>> {
    return this.#points.request(request, again)
  }

  listen(emit: (body: LiveEventBody) => void): ReplyListener {
    const { outputMode: mode = 'off' } = this.#hooks
    const turn = this.#turn
    const options = {
      mode,
      signal: turn.signal,
      emit,
      check: async (texts: readonly string[]) => {
        const checked = await this.#post.checkGrowing(texts)
        return checked.kind === 'block' ? { trip: this.#blocked(checked) } : { texts: checked.texts }
      },
      holdLength: (text: string) => this.#post.holdLength(text),
    }
    return mode === 'off' || !this.#post.hasGuardrails ? openListener(options) : new HoldingListener(options)
  }

  replied(reply: AssistantMessage): Promise<Judged<AssistantMessage>> {
    return this.#points.replied(reply, (outcome) => this.#withheld(reply, outcome))
  }

  async judge(reply: AssistantMessage, { listener, answerName }: HeardReply): Promise<Judged<AssistantMessage>> {
    if (listener?.trip !== undefined) return this.#retract(reply, listener.trip, listener)
    if (!this.#post.hasGuardrails) return { kind: 'go', value: reply }
    const isStep = answerName === undefined && { isStep: true as const }
    const checked = await this.#post.checkOnly({ ...subjectOf(reply, answerName), ...isStep })
    if (checked.kind === 'block') return this.#retract(reply, checked, listener)
    const value = withReplyTexts(reply, checked.texts, answerName)
    listener?.release(value)
    return { kind: 'go', value }
  }

  async final(reply: AssistantMessage, facts: FinalFacts): Promise<Judged<AssistantMessage>> {
    const { outcome, output, listener, answerName } = facts
    const messages = this.#turn.fold.messages.flatMap((message) =>
      message.role === 'user' && message.synthetic === undefined ? [message] : [],
    )
    const checked = await this.#post.run({ ...subjectOf(reply, answerName), output, messages })
    if (checked.kind === 'block') return this.#retract(reply, checked, listener)
    const value = withReplyTexts(reply, checked.texts, answerName)
    listener?.release(value)
    if (checked.kind === 'stop') return { kind: 'end', outcome: checked.outcome, shown: value }
    if (checked.kind === 'retry') return { kind: 'retry', text: checked.text, hook: checked.hook, value }
    return outcome.kind === 'completed' ? { kind: 'go', value } : { kind: 'end', outcome, shown: value }
  }

  batch(reply: AssistantMessage): ReturnType<TurnHooks['batch']> {
    return this.#points.batch(reply)
  }

  answered(reply: AssistantMessage, results: readonly ToolResult[]): ReturnType<TurnHooks['answered']> {
    return this.#points.answered(reply, results)
  }

  ended(outcome: Outcome, over: AbortSignal): Promise<void> {
    return this.#points.ended(outcome, over)
  }

  commitsState(outcome: Outcome): boolean {
    const isRefused = outcome.kind === 'blocked' && outcome.slot === 'preHooks'
    return !isRefused || this.#hooks.commitStateOn === 'always'
  }

  #retract(
    reply: AssistantMessage,
    checked: { readonly outcome: Outcome },
    listener: ReplyListener | undefined,
  ): Judged<AssistantMessage> {
    if (listener?.hasShown) this.#turn.emit({ type: 'content-retracted', messageId: reply.id })
    return { ...this.#blocked(checked, reply), ...this.#rejected(reply) }
  }

  #blocked(
    { outcome }: { readonly outcome: Outcome },
    reply?: AssistantMessage,
  ): Judged<AssistantMessage> & { kind: 'end' } {
    return { kind: 'end', outcome, ...(reply !== undefined && { shown: this.#safe(reply) }) }
  }

  #withheld(reply: AssistantMessage, outcome: Outcome): Judged<AssistantMessage> {
    if (outcome.kind !== 'blocked') return { kind: 'end', outcome, shown: reply }
    return { kind: 'end', outcome, shown: this.#safe(reply), ...this.#rejected(reply) }
  }

  /** What stands in the place of a reply that was withheld. */
  #safe({ id, createdAt, modelId }: AssistantMessage): AssistantMessage {
    const text = this.#hooks.safeMessage ?? SAFE_MESSAGE
    const content = [{ type: 'text', text }] as const
    const model = modelId !== undefined && { modelId }
    return { id, role: 'assistant', createdAt, content, stopReason: 'endTurn', synthetic: 'blocked', ...model }
  }

  #rejected<Value>(value: Value): { rejected?: Value } {
    const { storeRejected = 'none' } = this.#hooks
    if (storeRejected === 'none') return {}
    if (storeRejected === 'full') return { rejected: value }
    // The same shape, its texts redacted.
    return { rejected: this.#runner.tellable(value) as Value }
  }
}
