import { TurnloopError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Message } from './messages.ts'
import type { RunnableAgent } from './runnable-agent.ts'
import type { RunningTurn } from './running-turn.ts'
import type { TurnResult } from './turn-result.ts'
import { addUsage } from './usage.ts'

/** How deep agents may run each other, from hooks too. */
const DEEPEST = 4

/** What an agent says. A judge may quote what it refuses, and that is for nobody to see. */
const WORDS: ReadonlySet<string> = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta', 'partial-output'])

/** Run another agent inside a turn, under a hook's signal; see `HookContext.run`. */
export async function runAgent<Output>(
  turn: RunningTurn,
  agent: RunnableAgent<Output>,
  { input, signal, isQuiet }: { input: string | readonly Message[]; signal: AbortSignal; isQuiet?: boolean },
): Promise<TurnResult<Output>> {
  const depth = turn.depth + 1
  if (depth > DEEPEST) throw new TurnloopError('bad-input', `Agents may run each other at most ${DEEPEST} deep.`)
  const nested = agent.turn(
    // Which inputs it takes is its own business.
    input as never,
    {
      signal,
      depth,
      onEvent: (event: TurnEvent) => {
        if (!isQuiet || !WORDS.has(event.type)) turn.forward(event, `hook:${agent.name}`)
      },
    },
  )
  // An agent's turn gives just this.
  const result = (await nested.untilDone()) as TurnResult<Output>
  turn.fold.usage = addUsage(turn.fold.usage, result.usage)
  const { kind } = result.outcome
  if (kind !== 'completed') {
    const why = result.outcome.kind === 'failed' ? `: ${result.outcome.error.message}` : ''
    throw new TurnloopError('not-completed', `The agent ${agent.name} ended ${kind}${why}.`)
  }
  return result
}
