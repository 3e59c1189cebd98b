/** A file that a person chose, with its handle where the browser gives one. */
export interface PickedFile {
  readonly file: File
  readonly handle?: FileSystemFileHandle
}

interface PickerWindow {
  /** Chromium's dialog for files, which TypeScript's library does not know. */
  showOpenFilePicker?(options: {
    types: readonly { description: string; accept: Record<string, readonly string[]> }[]
  }): Promise<readonly FileSystemFileHandle[]>
}

interface HandleItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

/** Whether the browser has a dialog that gives handles. */
export function canPickHandles(): boolean {
  return 'showOpenFilePicker' in globalThis
}

/** Let a person choose a GGUF file, with its handle. `undefined` where they chose none. */
export async function pickFile(): Promise<PickedFile | undefined> {
  const picker: typeof globalThis & PickerWindow = globalThis
  const types = [{ description: 'Language models', accept: { 'application/octet-stream': ['.gguf'] } }]
  try {
    const [handle] = (await picker.showOpenFilePicker?.({ types })) ?? []
    return handle && { file: await handle.getFile(), handle }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

/** The one file of a drop. To be called while the event is handled: afterwards the browser has taken it back. */
export async function droppedFile(transfer: DataTransfer): Promise<PickedFile | undefined> {
  const [item] = [...transfer.items].filter(({ kind }) => kind === 'file')
  const file = item?.getAsFile() ?? undefined
  const handle = await handleOf(item)
  return file && { file, ...(handle && { handle }) }
}

async function handleOf(item: DataTransferItem | undefined): Promise<FileSystemFileHandle | undefined> {
  const asking: (DataTransferItem & HandleItem) | undefined = item
  try {
    const handle = await asking?.getAsFileSystemHandle?.()
    return handle instanceof FileSystemFileHandle ? handle : undefined
  } catch {
    return undefined
  }
}
