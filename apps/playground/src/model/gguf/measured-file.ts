/**
 * The same file, telling how much of it has been read, from 0 to 1.
 *
 * The engine reads pieces of it when it needs them, or the whole as a stream, and says nothing of how far it is.
 */
export function measuredFile(file: File, onShare: (share: number) => void): File {
  let furthest = 0
  const tell = (bytes: number): void => {
    if (bytes <= furthest) return
    furthest = bytes
    onShare(Math.min(1, furthest / file.size))
  }
  return new MeasuredFile(file, tell)
}

class MeasuredFile extends File {
  readonly #tell: (bytes: number) => void

  constructor(file: File, tell: (bytes: number) => void) {
    // Points to the bytes of the other file; nothing is copied.
    super([file], file.name, { type: file.type })
    this.#tell = tell
  }

  override slice(start = 0, end: number = this.size, type?: string): Blob {
    this.#tell(end)
    return super.slice(start, end, type)
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let read = 0
    const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        read += bytes.byteLength
        this.#tell(read)
        controller.enqueue(bytes)
      },
    })
    return super.stream().pipeThrough(count)
  }
}
