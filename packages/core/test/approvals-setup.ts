import { type Decision, type PendingRequest, type Tool, type TurnResult, tool } from '@turnloop/core'
import { z } from 'zod'

/** A tool that a person has to allow, and what it really did. */
export function guarded(options: Partial<Parameters<typeof tool>[0]> = {}): { wipe: Tool; deeds: unknown[] } {
  const deeds: unknown[] = []
  const wipe = tool({
    name: 'wipe',
    description: 'Wipes a draft',
    input: z.object({ draft: z.string() }),
    needsApproval: true,
    execute: (input) => {
      deeds.push(input)
      return 'wiped'
    },
    ...options,
  })
  return { wipe, deeds }
}

/** A call of it. */
export function wipeCall(draft: string = 'a'): { name: string; input: { draft: string } } {
  return { name: 'wipe', input: { draft } }
}

/** What a result waits for. */
export function pendingOf(result: TurnResult<unknown>): readonly PendingRequest[] {
  return result.outcome.kind === 'awaiting' ? result.outcome.pending : []
}

/** Go on after a pause with one decision. */
export async function decided(
  result: TurnResult<unknown>,
  decision: Omit<Decision, 'id'>,
): Promise<TurnResult<unknown>> {
  const [request] = pendingOf(result)
  const next = result.resume?.([{ id: request?.id ?? '', ...decision }])
  if (next === undefined) throw new Error('nothing to resume')
  return next.untilDone()
}
