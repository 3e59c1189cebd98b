import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

/** A file that was opened in an earlier visit: by its name, and by its handle where the browser gives one. */
export interface RememberedFile {
  readonly name: string
  readonly handle?: FileSystemFileHandle
}

/** The permissions of a handle, which not every browser has and TypeScript's library not yet. */
interface AskableHandle {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>
}

interface FilesSchema extends DBSchema {
  files: { key: string; value: RememberedFile }
}

const KEY = 'model'

/** Keep which file was opened. Without a database it is forgotten with the page. */
export async function rememberFile(file: RememberedFile): Promise<void> {
  await inDatabase((database) => database.put('files', file, KEY))
}

/** The file that was opened last, if this browser kept it. */
export async function rememberedFile(): Promise<RememberedFile | undefined> {
  return inDatabase((database) => database.get('files', KEY))
}

/** Forget it. */
export async function forgetFile(): Promise<void> {
  await inDatabase((database) => database.delete('files', KEY))
}

/**
 * Read a remembered file again; `undefined` where the browser wants to ask first and `mayAsk` is not given, where the answer was
 * no, or where there is only a name. With `mayAsk`, call it from a click. Rejects where the file is gone.
 */
export async function reopenFile({ handle }: RememberedFile, mayAsk?: 'mayAsk'): Promise<File | undefined> {
  if (handle === undefined) return undefined
  const askable: FileSystemFileHandle & AskableHandle = handle
  const state = (await askable.queryPermission?.({ mode: 'read' })) ?? 'granted'
  if (state === 'granted') return handle.getFile()
  if (mayAsk === undefined) return undefined
  return (await askable.requestPermission?.({ mode: 'read' })) === 'granted' ? handle.getFile() : undefined
}

async function inDatabase<T>(act: (database: IDBPDatabase<FilesSchema>) => Promise<T>): Promise<T | undefined> {
  try {
    const database = await openDB<FilesSchema>('turnloop-playground-files', 1, {
      upgrade: (fresh) => void fresh.createObjectStore('files'),
    })
    try {
      return await act(database)
    } finally {
      database.close()
    }
  } catch {
    // A browser that keeps nothing, or that cannot keep a handle.
    return undefined
  }
}
