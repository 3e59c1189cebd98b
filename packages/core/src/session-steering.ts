import type { RunnerParts } from './runner-parts.ts'
import type { SessionBlobs } from './session-blobs.ts'
import type { Job, SessionQueue } from './session-queue.ts'
import type { SessionView } from './session-view.ts'
import { userMessage } from './turn-input.ts'

/** What steering works with. */
export interface SteeringOptions {
  readonly queue: SessionQueue
  readonly view: SessionView
  readonly blobs: SessionBlobs
  /** The job whose turn runs. */
  current(): Job | undefined
}

/**
 * The parts of a run whose turn is joined by what is said to it meanwhile.
 *
 * That waits in the queue, stored like anything there, and leaves it in the very moment in which it joins the log: so both
 * are saved together, and nobody ever finds it twice or not at all.
 */
export function steerable(
  parts: RunnerParts,
  turnId: string,
  { queue, view, current, blobs }: SteeringOptions,
): RunnerParts {
  return {
    ...parts,
    append: (...drafts) =>
      view.together(() => {
        const appended = parts.append(...drafts)
        for (const entry of appended.entries) {
          const joined = entry.type === 'message' ? queue.join(entry.message.id) : undefined
          if (joined !== undefined) share(current(), joined)
        }
        return appended
      }),
    steering: {
      claim: (reply) =>
        reply.stopReason !== 'toolUse' && reply.stopReason !== 'pause' && queue.claim(turnId) !== undefined,
      async join({ fold }, admit) {
        const last = fold.messages.at(-1)
        if (last?.role === 'assistant' && last.stopReason === 'pause') return undefined
        for (let said = queue.claim(turnId); said !== undefined; said = queue.claim(turnId)) {
          const fetching = blobs.fetch([said])
          if (fetching !== undefined) await fetching
          const end = await admit([userMessage(blobs.whole(said).content, said)])
          if (end !== undefined) return end
        }
        return undefined
      },
    },
  }
}

/** What joined a turn ends as that does. */
function share(running: Job | undefined, joined: Job): void {
  running?.done.then(
    (result) => joined.settle({ result }),
    (error: unknown) => joined.settle({ error }),
  )
}
