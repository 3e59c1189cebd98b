import type { SessionHead } from '@turnloop/core'

/** Sessions of one stretch of time, newest first. */
export interface SessionGroup {
  readonly label: 'Today' | 'Yesterday' | 'Earlier'
  readonly sessions: readonly SessionHead[]
}

/** Sort sessions into today, yesterday and earlier, by the calendar of this place. Empty groups are left out. */
export function groupSessions(sessions: readonly SessionHead[], now: number): SessionGroup[] {
  const today = startOfDay(now, 0)
  const yesterday = startOfDay(now, -1)
  const groups: SessionGroup[] = [
    { label: 'Today', sessions: sessions.filter(({ updatedAt }) => updatedAt >= today) },
    { label: 'Yesterday', sessions: sessions.filter(({ updatedAt }) => updatedAt >= yesterday && updatedAt < today) },
    { label: 'Earlier', sessions: sessions.filter(({ updatedAt }) => updatedAt < yesterday) },
  ]
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
