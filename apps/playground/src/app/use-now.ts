import { useEffect, useState } from 'react'

/** The time, moving on every `everyMs` while `running`. For durations that grow before the reader's eyes. */
export function useNow(running: boolean, everyMs = 100): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [running, everyMs])
  return now
}
