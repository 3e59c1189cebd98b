import type { CallPaused } from './approvals.ts'
import type { Clock } from './clock.ts'
import type { EntryDraft } from './entries.ts'
import type { ErrorRecord } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { JsonObject } from './json.ts'
import type { AssistantMessage, CallToolResult, ToolResult, ToolStatus, UserMessage } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { ModelReply } from './model-step.ts'
import type { Outcome } from './outcome.ts'
import type { RunningTurn } from './running-turn.ts'
import type { SettledCall } from './tool-call.ts'
import type { ReadyCall, RefusedCall } from './tool-plan.ts'

/** Hooks for an agent, as one value: what watches, changes, checks and stops its turns. Made by `defineHooks`. */
export interface HookSet {
  readonly kind: 'hooks'
  /** Bring an agent's sets to work, merged in order; asked of the first. */
  create(sets: readonly HookSet[]): AgentHooks
}

/** An agent's hooks at work. */
export interface AgentHooks {
  forTurn(turn: RunningTurn): TurnHooks
  /** Whether growing text is shown before it was judged, and so must not be stored. */
  readonly judgesLater: boolean
  /** Resolves when no background hook is left. */
  settled(): Promise<void>
}

/** What the hooks of one turn are asked, and when. Nothing here rejects, other than with the turn's abort reason. */
export interface TurnHooks {
  readonly steps: HookSteps
  /** The agent's own part of what surrounds each tool call. */
  readonly calls: CallLayer
  /** Whether an input has to pass before it joins the log. */
  readonly guardsInput: boolean
  /** How often they may send the model back. */
  readonly maxRetries: number
  /** Whether a reply has to pass before it joins the log. */
  readonly judgesReplies: boolean
  /** preHooks. */
  input(messages: readonly UserMessage[]): Promise<Judged<readonly UserMessage[]>>
  /** beforeModelCall. `again` makes the request anew, where messages joined the transcript. */
  request(request: ModelRequest, again: () => Promise<ModelRequest>): Promise<Judged<ModelRequest>>
  /** Stands between a growing reply and those who hear of it. */
  listen(emit: (body: LiveEventBody) => void): ReplyListener
  /** afterModelCall. */
  replied(reply: AssistantMessage): Promise<Judged<AssistantMessage>>
  /** Output guardrails, on a reply that does not end the turn. */
  judge(reply: AssistantMessage, heard: HeardReply): Promise<Judged<AssistantMessage>>
  /** postHooks, on the reply that does. */
  final(reply: AssistantMessage, end: FinalFacts): Promise<Judged<AssistantMessage>>
  /** beforeToolCall: arguments to use in place of the model's, by call. */
  batch(reply: AssistantMessage): Promise<Judged<ReadonlyMap<string, JsonObject>>>
  /** afterToolCall: results to show in place of those that were recorded, by call. */
  answered(
    reply: AssistantMessage,
    results: readonly ToolResult[],
  ): Promise<Judged<ReadonlyMap<string, CallToolResult>>>
  /** onCancel, onError and afterTurn, before the end is written. They have until `over` aborts. */
  ended(outcome: Outcome, over: AbortSignal): Promise<void>
  /** `false`: what the turn changed of the session's state is void. */
  commitsState(outcome: Outcome): boolean
}

/** What the loop does where it meets hooks. It comes with them, so that a page without hooks does not have it. */
export interface HookSteps {
  /** Let an input pass and join the log; resolves with what ends the turn instead. */
  admitInput(turn: RunningTurn, given: readonly UserMessage[]): Promise<Outcome | undefined>
  /** Hear about a reply what can be heard before it is known whether it ends the turn. */
  hear(turn: RunningTurn, pending: PendingReply): Promise<Asked | Outcome>
  /** Write down a reply that does not end the turn; resolves with what ends it after all. */
  passReply(turn: RunningTurn, asked: Asked): Promise<Outcome | undefined>
  /** End the turn with a reply, once it has passed; or the model is sent back. */
  closeReply(turn: RunningTurn, asked: Asked, outcome: Outcome): Promise<Outcome | 'again'>
  /** End the turn with a reply that no model wrote and that is not in the log yet. */
  closeWith(turn: RunningTurn, reply: AssistantMessage): Promise<Outcome | undefined>
  /** End the turn with an answer that is in the log already: a call's arguments. Both: nothing, where the model is sent back. */
  closeRecorded(turn: RunningTurn): Promise<Outcome | undefined>
  /** Let hooks see a batch's results; resolves with what ends the batch in the log. */
  closeBatch(turn: RunningTurn, said: BatchWord): Promise<EntryDraft[]>
}

/** A reply of the model, and what broke it. */
export interface Asked {
  readonly reply: AssistantMessage
  readonly error?: ErrorRecord
  /** It is not in the log yet: hooks have their say first, where it ends the turn. */
  readonly pending?: PendingReply
  /** Hooks have decided already. */
  readonly isAgain?: true
}

/** A reply that hooks have yet to pass. */
export interface PendingReply {
  readonly answered: ModelReply
  readonly listener: ReplyListener
}

/** What hooks said of a whole batch. */
export interface BatchWord {
  ends?: Outcome
  feedback?: string
}

/** What hooks made of something: it goes on, as it is now; or the turn ends; or the model has to hear something first. */
export type Judged<Value> =
  | { readonly kind: 'go'; readonly value: Value }
  | {
      readonly kind: 'end'
      readonly outcome: Outcome
      /** Stands in the place of what was blocked, and what of that is kept. */
      readonly shown?: Value
      readonly rejected?: Value
    }
  | { readonly kind: 'retry'; readonly text: string; readonly hook: string; readonly value: Value }

/** How a reply was heard. */
export interface HeardReply {
  readonly listener?: ReplyListener
  /** The tool whose arguments are the answer: checked as text is. */
  readonly answerName?: string
}

/** What is known of the reply that ends a turn. */
export interface FinalFacts extends HeardReply {
  readonly outcome: Outcome
  readonly output?: unknown
}

/** Lets a growing reply through as far as it may be seen. */
export interface ReplyListener {
  emit(body: LiveEventBody): void
  /** Aborts where the model need not go on: what it said so far does not pass. */
  readonly signal: AbortSignal
  /** Why it did. Set before `signal` aborts. */
  readonly trip: (Judged<AssistantMessage> & { readonly kind: 'end' }) | undefined
  /** Resolves when no check of what has grown is under way. */
  settled(): Promise<void>
  /** Show what a reply has become, as far as it was held back. */
  release(reply: AssistantMessage): void
  /** As much of a reply that was cut as has been shown. */
  seen(reply: AssistantMessage): AssistantMessage
  /** Whether any text was shown. */
  readonly hasShown: boolean
  /** Let go of the turn's signal. */
  close(): void
}

/** One layer around a tool call: the agent's hooks, a source's, or the tool's own. */
export interface CallLayer {
  readonly engine: CallEngine
  /** Before people are asked: `undefined` for nothing to say. A context that was given `end` ends the turn. */
  before?(call: ReadyCall, context: CallScope): Promise<CallChange | undefined>
  /** Checks arguments: before people are asked, and again before the tool runs with others or after a decision. */
  guard?(call: ReadyCall, context: CallScope): Promise<CallChange | undefined>
  /** Around the run. What it throws becomes an error result; what it returns is the result. */
  around?(call: ReadyCall, next: CallNext, context: CallScope): Promise<unknown>
  /** Checks a result before it is recorded. */
  check?(call: ReadyCall, result: CallToolResult, context: CallScope): Promise<CallToolResult>
}

/**
 * Go on to the next layer, in the end to the tool, with these arguments or the same. Rejects with what the tool threw.
 * Where `within` aborts, nobody waits for it any more.
 */
export type CallNext = (input?: JsonObject, within?: AbortSignal) => Promise<CallToolResult>

/** What a layer makes of a call before it runs. */
export type CallChange =
  | { readonly input: JsonObject }
  | { readonly status: ToolStatus; readonly result: CallToolResult }

/** What a layer is given about the call's turn. */
export interface CallScope {
  readonly turn: RunningTurn
  /** Aborts when nobody waits for this part of the call any more: nothing of it begins then. */
  readonly within?: AbortSignal
  /** End the turn once the batch is settled. What has not started does not run. */
  end(outcome: Outcome): void
  /** Let the model read this after the results. */
  retry(text: string): void
}

/** How a call ended that had layers around it: as its tool did, or as a layer said; `'not-run'`: it never began. */
export type LayeredEnd = (Omit<SettledCall, 'startedAt' | 'durationMs'> & Partial<SettledCall>) | CallPaused | 'not-run'

/** What running a call with layers takes. */
export interface LayeredOptions {
  /** Outermost first. */
  readonly layers: readonly CallLayer[]
  readonly scope: CallScope
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly maxResultBytes: number
  /** A person has decided about these very arguments. */
  readonly isDecided: boolean
  /** Plan the call anew with other arguments. */
  replan(input: JsonObject): Promise<ReadyCall | RefusedCall>
  /** Write down that it starts, and run it. */
  run(ready: ReadyCall, within?: AbortSignal): Promise<SettledCall | CallPaused | 'not-run'>
}

/** What asking layers takes. */
export type AskLayersOptions = Pick<LayeredOptions, 'layers' | 'scope' | 'replan'>

/** What layers made of a call: it is planned, refused, or answered. */
export type AskedLayers = ReadyCall | RefusedCall | Exclude<CallChange, { input: JsonObject }>

/** What brings layers to work: asks them before people are asked, and runs a call through them. Never rejects. */
export interface CallEngine {
  ask(planned: ReadyCall, options: AskLayersOptions): Promise<AskedLayers>
  run(ready: ReadyCall, options: LayeredOptions): Promise<LayeredEnd>
  /** Check a result that did not come from the tool. */
  check<End extends { readonly status: ToolStatus; readonly result: CallToolResult }>(
    end: End,
    ready: ReadyCall,
    options: Pick<LayeredOptions, 'layers' | 'scope' | 'signal'>,
  ): Promise<End>
}
