import type { Clock, JsonValue } from '@turnloop/core'

/** The way of a call's progress to the page. */
export interface ProgressFeed {
  /** Throws `DataCloneError` for what cannot be posted. */
  push(update: JsonValue): void
  /** Send what is held back. Nothing is held and no timer runs afterwards. */
  flush(): void
}

/**
 * Hold a call's progress to a rate the page can bear: the first 20 updates go at once, then at most one in 20 ms.
 *
 * Of what is held back only the newest survives. A tool that reports each of a million rows would otherwise bury the
 * page in messages, and Stop with it. Time is looked at when an update comes, so a loop that never yields is heard too.
 */
export function progressFeed(send: (update: JsonValue) => void, clock: Clock): ProgressFeed {
  let sent = 0
  let lastAt = 0
  let held: { update: JsonValue } | undefined
  let stopTimer = (): void => {}

  const deliver = (update: JsonValue): void => {
    held = undefined
    stopTimer()
    sent += 1
    lastAt = clock.now()
    send(update)
  }
  const flush = (): void => {
    if (held) deliver(held.update)
  }
  return {
    flush,
    push(update) {
      const elapsed = clock.now() - lastAt
      // A clock that was set back must not silence the rest of the call.
      if (sent < FREE_UPDATES || elapsed >= INTERVAL_MS || elapsed < 0) return deliver(update)
      if (!held) stopTimer = clock.setTimer(flush, INTERVAL_MS - elapsed)
      // Copied now: the tool may go on changing the object, and what cannot be copied must throw here, not in a timer.
      held = { update: structuredClone(update) }
    },
  }
}

const FREE_UPDATES = 20
const INTERVAL_MS = 20
