import { runAgent } from './hook-agent.ts'
import type { HookContext } from './hook-context.ts'
import { deepFreeze, type JsonValue } from './json.ts'
import type { Message, UserMessage } from './messages.ts'
import { randomId } from './random-id.ts'
import { rewriteOverlay } from './rewrite-overlay.ts'
import type { RunningTurn } from './running-turn.ts'
import type { StateLook } from './state-draft.ts'

/** One run of a hook. */
export interface HookRun {
  /** Somebody waits for it still; what it says later is not heard. */
  isOpen: boolean
  readonly look: StateLook
  readonly signal: AbortSignal
}

/** What a hook's context speaks to. */
interface HookVoice {
  readonly turn: RunningTurn
  tellable(value: unknown): JsonValue | undefined
  inject(...messages: readonly (string | UserMessage)[]): void
  /** Note what went wrong in the hook after it had settled. */
  noteFault(error: unknown): void
}

/** What a hook is told in the foreground. */
export function contextOf(run: HookRun, voice: HookVoice): HookContext {
  const { turn } = voice
  const { look, signal } = run
  const { agent, session, userId, debug, metadata, extra, logger } = turn.info
  return {
    agent,
    ...(session !== undefined && { session }),
    ...(userId !== undefined && { userId }),
    debug,
    metadata,
    extra,
    logger,
    turnId: turn.turnId,
    iteration: turn.fold.iteration,
    phase: turn.phase,
    signal,
    get state() {
      return look.draft
    },
    set state(whole) {
      look.draft = whole
    },
    get messages() {
      const { closed, open } = turn
      // As it stands while its calls run, without results that nobody has.
      return snapshotOf(turn.fold.batch === undefined ? turn.messages : closed.concat(open ?? []))
    },
    get turnMessages() {
      return snapshotOf(turn.fold.messages)
    },
    emit: (name, data) => {
      const told = run.isOpen ? voice.tellable(data) : undefined
      if (told !== undefined) turn.emit({ type: 'custom', name, data: told })
    },
    run: (other, input) => runAgent(turn, other, { input, signal }),
    inject: (...messages) => {
      if (run.isOpen) voice.inject(...messages)
    },
    rewriteTranscript: (rewrite) => {
      if (run.isOpen) rewriteOnce(rewrite, voice)
    },
  }
}

/** Rewrite now, or once the calls that run are answered: what it throws then is noted, and nothing is rewritten. */
function rewriteOnce(rewrite: Parameters<HookContext['rewriteTranscript']>[0], { turn, noteFault }: HookVoice): void {
  let isNow = true
  turn.rewrite((source) => {
    try {
      return rewriteOverlay(source, rewrite)
    } catch (error) {
      if (isNow) throw error
      noteFault(error)
      return undefined
    }
  })
  isNow = false
}

function snapshotOf(messages: readonly Message[]): readonly Message[] {
  return deepFreeze([...messages])
}

/** What a hook lets join the transcript, as a message of its own. */
export function toInjected(given: string | UserMessage, createdAt: number): UserMessage {
  const stamp = { id: randomId(), createdAt, synthetic: 'injected' } as const
  if (typeof given !== 'string') return { ...stamp, ...structuredClone(given), role: 'user' }
  return { ...stamp, role: 'user', content: [{ type: 'text', text: given }] }
}
