import type { SessionHead } from '@turnloop/core'

/** Sessions of one stretch of time, newest first. */
export interface SessionGroup {
  readonly label: 'Today' | 'Yesterday' | 'Last 7 days' | 'Earlier'
  readonly sessions: readonly SessionHead[]
}

/** Sort sessions by how long ago they were used, by the calendar of this place. Empty groups are left out. */
export function groupSessions(sessions: readonly SessionHead[], now: number): SessionGroup[] {
  const begins = [
    { label: 'Today', from: startOfDay(now, 0) },
    { label: 'Yesterday', from: startOfDay(now, -1) },
    { label: 'Last 7 days', from: startOfDay(now, -7) },
    { label: 'Earlier', from: Number.NEGATIVE_INFINITY },
  ] as const
  const groups = begins.map(({ label, from }, index): SessionGroup => {
    const until = begins[index - 1]?.from ?? Number.POSITIVE_INFINITY
    return { label, sessions: sessions.filter(({ updatedAt }) => updatedAt >= from && updatedAt < until) }
  })
  return groups.filter((group) => group.sessions.length > 0)
}

function startOfDay(at: number, days: number): number {
  const day = new Date(at)
  // Through the calendar, because a day of changing clocks does not have 24 hours.
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime()
}

/** Sessions whose title has every word of a search. */
export function findSessions(sessions: readonly SessionHead[], search: string): SessionHead[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return sessions.filter((session) => words.every((word) => titleOfSession(session).toLowerCase().includes(word)))
}

/** A session's title, or what stands for it until it has one. */
export function titleOfSession(session: Pick<SessionHead, 'title'>): string {
  return session.title ?? 'Untitled'
}
