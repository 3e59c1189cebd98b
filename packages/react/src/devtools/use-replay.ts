import { useEffect, useRef, useState } from 'react'
import { Player } from './player.ts'
import type { Recording } from './recording.ts'

/** The recording that is played in place of the session, if there is one. */
export interface Replay {
  readonly player: Player | undefined
  /** Why the last one could not be read. */
  readonly error: string | undefined
  /** Play what is being read, unless by then another one was asked for, or none. */
  load(recording: Promise<Recording>): void
  leave(): void
}

/** Keeps the recording that was asked for last, however long each takes to be read. */
export function useReplay(snapshots: number): Replay {
  const [player, setPlayer] = useState<Player>()
  const [error, setError] = useState<string>()
  const latest = useRef<Promise<Recording>>(undefined)
  const ask = (recording: Promise<Recording> | undefined): void => {
    latest.current = recording
    setError(undefined)
  }
  // Also one that another takes the place of.
  useEffect(() => () => player?.pause(), [player])
  return {
    player,
    error,
    load(recording) {
      ask(recording)
      const isLatest = (): boolean => latest.current === recording
      recording
        .then((found) => isLatest() && setPlayer(new Player(found, { snapshots })))
        .catch((failure: unknown) => {
          if (isLatest()) setError(failure instanceof Error ? failure.message : String(failure))
        })
    },
    leave() {
      ask(undefined)
      setPlayer(undefined)
    },
  }
}
