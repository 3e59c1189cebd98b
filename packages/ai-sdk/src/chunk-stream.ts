import type { Chunk } from './step-chunks.ts'

/** Where a stream of chunks comes from. */
export interface ChunkReader {
  /** The next chunks, possibly none; `undefined` at the end. */
  read(): Promise<readonly Chunk[] | undefined>
  /** Nobody reads any more. */
  leave(): void
}

/** A stream that reads only as far as it is read, so that undelivered deltas can merge where they come from. */
export function toChunkStream(reader: ChunkReader): ReadableStream<Chunk> {
  let hasLeft = false
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        for (;;) {
          const chunks = await reader.read()
          if (hasLeft) return
          if (chunks === undefined) return controller.close()
          for (const chunk of chunks) controller.enqueue(chunk)
          if (chunks.length > 0) return
        }
      },
      cancel() {
        hasLeft = true
        reader.leave()
      },
    },
    { highWaterMark: 0 },
  )
}
