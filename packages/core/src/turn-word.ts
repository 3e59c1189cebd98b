import { isTurnloopError } from './errors.ts'
import { isJsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'

/** What an error that a tool threw says of its turn; `undefined` for an ordinary one. */
export function readTurnEnd(
  error: unknown,
  toolName: string,
): { readonly outcome?: Outcome; readonly feedback?: string } | undefined {
  if (!isTurnloopError(error)) return undefined
  const { code, message } = error
  if (code === 'stop-turn') return { outcome: { kind: 'completed', stoppedBy: toolName } }
  if (code === 'retry-model') return { feedback: message }
  if (code !== 'blocked') return undefined
  const { trigger = 'validation_failed', data } = error.facts ?? {}
  const word = String(trigger)
  const facts = { trigger: word, errorId: word, hook: toolName, slot: 'tool', phase: 'tool-input', message } as const
  return {
    outcome: {
      kind: 'blocked',
      source: 'guardrail',
      ...facts,
      ...(isJsonObject(data) && { data }),
    },
  }
}
