import type { BackgroundHooks } from './background-hooks.ts'
import { describeThrown } from './errors.ts'
import { keepScore } from './guard-texts.ts'
import type { Guardrail } from './guardrail.ts'
import type { Eval, Hook } from './hook.ts'
import { runAgent } from './hook-agent.ts'
import type { HookContext } from './hook-context.ts'
import type { HookRunner, PlacedHook } from './hook-runner.ts'
import { type CheckSubject, viewsOf } from './hook-views.ts'

/** A hook of a list, by whatever it was given as. */
export interface ListedHook {
  readonly place: PlacedHook
  readonly item: Guardrail | Eval | Pick<Hook<never, string>, 'run'>
  readonly isLater: boolean
}

interface LaterOptions {
  readonly runner: HookRunner
  readonly background: BackgroundHooks
  readonly subject: CheckSubject
  readonly phase: 'input' | 'output'
}

/** Hand hooks over to the background: on one copy of what they look at, taken now. */
export function dispatchLater(hooks: readonly ListedHook[], options: LaterOptions): void {
  const { runner, background, subject, phase } = options
  const { turn } = runner
  const { iteration, messages: turnMessages } = turn.fold
  const given = {
    subject,
    state: turn.state,
    metadata: turn.info.metadata,
    messages: turn.messages,
    turnMessages: [...turnMessages],
    iteration,
  }
  const taken = copyOf(given, (what) =>
    turn.warn('Left out for background hooks', new Error(`${what} cannot be copied`)),
  )
  for (const { place, item } of hooks) {
    if ('check' in item) continue
    background.add({
      clock: turn.clock,
      run: async (signal) => {
        const context = contextOf(runner, { ...taken, signal })
        // The context has what evals and hooks of either list are promised.
        if ('evaluate' in item) keepScore(runner, item, await item.evaluate(context as never), phase)
        else await item.run(context as never)
      },
      onError: (error) => {
        turn.info.logger.error(`${place.name}: ${runner.redact(describeThrown(error))}`)
        turn.emit({ type: 'background-hook-failed', hook: place.name, slot: place.slot, error: runner.record(error) })
      },
    })
  }
}

interface Taken {
  readonly subject: CheckSubject
  readonly state: HookContext['state']
  readonly metadata: HookContext['metadata']
  readonly messages: HookContext['messages']
  readonly turnMessages: HookContext['turnMessages']
  readonly iteration: number
}

/** A structured clone of each, member by member: what cannot be cloned is left out, and named. */
function copyOf(given: Taken, onLeftOut: (what: string) => void): Taken {
  const { output, ...subject } = given.subject
  const copy = <Value>(what: string, value: Value, otherwise: Value): Value => {
    try {
      return structuredClone(value)
    } catch {
      onLeftOut(what)
      return otherwise
    }
  }
  const made = output === undefined ? undefined : copy('result.output', output, undefined)
  return {
    subject: { ...copy('the text', subject, { texts: [] }), ...(made !== undefined && { output: made }) },
    state: copy('state', given.state, {}),
    metadata: copy('metadata', given.metadata, {}),
    // Frozen, and no list that grows.
    messages: given.messages,
    turnMessages: given.turnMessages,
    iteration: given.iteration,
  }
}

/** What a background hook is told: agent, logger and `extra` live, the rest as it was. */
function contextOf(runner: HookRunner, { signal, ...taken }: Taken & { signal: AbortSignal }): HookContext {
  const { turn } = runner
  const { subject, state, metadata, messages, turnMessages, iteration } = taken
  const { agent, session, userId, debug, extra, logger } = turn.info
  const unable = (): never => {
    throw new Error('A background hook cannot change the turn.')
  }
  const context: HookContext = {
    agent,
    ...(session !== undefined && { session }),
    ...(userId !== undefined && { userId }),
    debug,
    extra,
    logger,
    turnId: turn.turnId,
    iteration,
    phase: turn.phase,
    // One each, so that what one does to it is nobody else's.
    state: structuredClone(state),
    metadata,
    messages,
    turnMessages,
    signal,
    emit: (name, data) => {
      const told = runner.tellable(data)
      if (told !== undefined) turn.emit({ type: 'custom', name, data: told })
    },
    run: (other, input) => runAgent(turn, other, { input, signal }),
    inject: unable,
    rewriteTranscript: unable,
  }
  return Object.assign(context, viewsOf(subject).context)
}
