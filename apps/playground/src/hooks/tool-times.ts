import { defineToolHook, type JsonObject, type NamedToolHook } from '@turnloop/core'
import { isRecord } from '../data/is-record.ts'

/** How long one tool took, over the whole session. */
export interface ToolTime extends JsonObject {
  readonly runs: number
  readonly lastMs: number
  readonly totalMs: number
}

/** Under which key of the session's state the times stand, by tool. */
export const TOOL_TIMES = 'toolTimes'

/** Notes in the session's state how often each tool ran and how long it took, also where it failed. Changes no call. */
export const toolTimes: NamedToolHook = defineToolHook({
  name: 'tool times',
  run: async (call, next, context) => {
    const startedAt = performance.now()
    try {
      return await next()
    } finally {
      const tookMs = Math.round(performance.now() - startedAt)
      // Looked at only now: what other calls have noted meanwhile is in it.
      const times = readToolTimes(context.state)
      const { runs, totalMs } = times.get(call.name) ?? NOTHING
      const time: ToolTime = { runs: runs + 1, lastMs: tookMs, totalMs: totalMs + tookMs }
      context.state[TOOL_TIMES] = { ...Object.fromEntries(times), [call.name]: time }
    }
  },
})

const NOTHING: ToolTime = { runs: 0, lastMs: 0, totalMs: 0 }

/** What has been noted so far, by tool. */
export function readToolTimes(state: { readonly [key: string]: unknown }): ReadonlyMap<string, ToolTime> {
  const noted = state[TOOL_TIMES]
  return new Map(isRecord(noted) ? Object.entries(noted).filter(isToolTime) : [])
}

function isToolTime(entry: [string, unknown]): entry is [string, ToolTime] {
  const [, time] = entry
  return isRecord(time) && [time.runs, time.lastMs, time.totalMs].every(Number.isFinite)
}
