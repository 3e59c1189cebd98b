import type { ToolResult } from '@turnloop/core'
import { useEffect, useState } from 'react'
import { useTurn } from '../app/use-turn.ts'
import { apartIn, wholeResult } from './whole-result.ts'

/** A result as far as it is there, and whether more of it is being read, or is gone. */
export interface WholeResult {
  readonly result: ToolResult
  readonly rest: 'none' | 'reading' | 'gone'
}

/** Read before, so that what is drawn once more is there at once. A result never changes. */
const known = new WeakMap<ToolResult, WholeResult>()

/** A tool's result with what is stored apart from the log read back into it. */
export function useWholeResult(result: ToolResult | undefined): WholeResult | undefined {
  const readBlob = useTurn((turn) => turn.readBlob)
  const [, setRead] = useState<WholeResult>()
  const isApart = result !== undefined && !known.has(result) && apartIn(result).length > 0
  useEffect(() => {
    if (!isApart) return
    let isWanted = true
    const read = async (): Promise<void> => {
      const refs = apartIn(result)
      const found = new Map<string, Uint8Array>()
      for (const { blob } of refs) {
        const bytes = await readBlob(blob)
        if (bytes !== undefined) found.set(blob, bytes)
      }
      known.set(result, {
        result: wholeResult(result, found),
        rest: refs.every(({ blob }) => found.has(blob)) ? 'none' : 'gone',
      })
    }
    // A store that cannot be read has the same to show as one that no longer has it.
    read()
      .catch(() => void known.set(result, { result, rest: 'gone' }))
      .then(() => isWanted && setRead(known.get(result)))
    return () => {
      isWanted = false
    }
  }, [isApart, result, readBlob])
  if (result === undefined) return undefined
  return known.get(result) ?? { result, rest: isApart ? 'reading' : 'none' }
}
