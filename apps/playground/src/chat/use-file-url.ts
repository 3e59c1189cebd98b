import type { FileData, FilePart } from '@turnloop/core'
import { useEffect, useMemo, useState } from 'react'
import { useTurn } from '../app/use-turn.ts'

/** Where the bytes of a file can be drawn from: not known yet, there, or no longer stored. */
export type FileUrl =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly url: string }
  | { readonly state: 'gone' }

const LOADING: FileUrl = { state: 'loading' }
const GONE: FileUrl = { state: 'gone' }

/** An address to draw a file from. Large files stand apart from the log once it was loaded again, and are read back. */
export function useFileUrl({ data, mediaType }: FilePart): FileUrl {
  const hash = 'blob' in data ? data.blob : undefined
  const readBlob = useTurn((turn) => turn.readBlob)
  const [read, setRead] = useState<{ hash: string; url: FileUrl }>()
  useEffect(() => {
    if (hash === undefined) return
    let url: string | undefined
    let isWanted = true
    const show = (bytes: Uint8Array | undefined): void => {
      if (!isWanted) return
      // A copy is what `Blob` takes for certain: the store's own may lie in shared memory.
      if (bytes !== undefined) url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType }))
      setRead({ hash, url: url === undefined ? GONE : { state: 'ready', url } })
    }
    readBlob(hash).then(show, () => show(undefined))
    return () => {
      isWanted = false
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [hash, mediaType, readBlob])
  const inPlace = useMemo(() => urlInPlace(data, mediaType), [data, mediaType])
  return inPlace ?? (read?.hash === hash ? read?.url : undefined) ?? LOADING
}

function urlInPlace(data: FileData, mediaType: string): FileUrl | undefined {
  if ('base64' in data) return { state: 'ready', url: `data:${mediaType};base64,${data.base64}` }
  return 'url' in data ? { state: 'ready', url: data.url } : undefined
}
