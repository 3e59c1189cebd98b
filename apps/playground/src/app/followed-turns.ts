import { useEffect } from 'react'
import { useTurn } from './use-turn.ts'

/** Turns that another page drove while this one looked on. */
const followed = new Set<string>()

/** Keep in mind which turns of the session in the address another page drives. */
export function useFollowedTurns(): void {
  const turnId = useTurn(({ role, turn }) => (role === 'follower' ? turn?.id : undefined))
  useEffect(() => {
    if (turnId !== undefined) followed.add(turnId)
  }, [turnId])
}

/** Whether another page drove a turn while this one looked on: then a reload of this one cut nothing. */
export function wasFollowed(turnId: string): boolean {
  return followed.has(turnId)
}
