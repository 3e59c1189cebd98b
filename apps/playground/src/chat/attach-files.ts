import { joinWords, plural } from '../app/format.ts'
import { type Observable, observable } from '../app/observable.ts'
import { randomId } from '../app/random-id.ts'
import { MAX_ATTACHMENTS, readAttachment } from '../attachments/read-attachment.ts'
import { readDraft, writeDraft, writeDraftFile } from './drafts.ts'

/** Why files could not be attached, by session, for people; until it is dismissed or others are added. */
export const attachTroubles: Observable<ReadonlyMap<string, readonly string[]>> = observable<
  ReadonlyMap<string, readonly string[]>
>(new Map())

/** Forget what went wrong in a session. */
export function dismissTroubles(sessionId: string): void {
  if (!attachTroubles.get().has(sessionId)) return
  const left = new Map(attachTroubles.get())
  left.delete(sessionId)
  attachTroubles.set(left)
}

/** Files that are being read, so that taking one out stops that. */
const reading = new Map<string, AbortController>()

/** Attach files to what is being written in a session. Each is there at once; what cannot be attached is told. Never rejects. */
export async function attachFiles(sessionId: string, files: readonly File[]): Promise<void> {
  const room = MAX_ATTACHMENTS - readDraft(sessionId).files.length
  const fitting = files.slice(0, Math.max(0, room))
  const left = files.slice(fitting.length)
  if (left.length > 0) tell(sessionId, tooManyWords(left))
  const added = fitting.map((file) => ({ id: randomId(), name: file.name, file }))
  const { files: before } = readDraft(sessionId)
  writeDraft(sessionId, { files: [...before, ...added.map(({ id, name }) => ({ id, name }))] })
  await Promise.all(added.map(({ id, file }) => attachOne(sessionId, id, file)))
}

/** Take a file out of what is being written. */
export function detachFile(sessionId: string, id: string): void {
  reading.get(id)?.abort()
  writeDraftFile(sessionId, id)
}

async function attachOne(sessionId: string, id: string, file: File): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  reading.set(id, controller)
  try {
    const onProgress = (progress: string): void => writeDraftFile(sessionId, id, { progress })
    const part = await readAttachment(file, { signal, onProgress })
    writeDraftFile(sessionId, id, { part })
  } catch (error) {
    writeDraftFile(sessionId, id)
    if (!signal.aborted) tell(sessionId, error instanceof Error ? error.message : `${file.name} could not be read.`)
  } finally {
    reading.delete(id)
  }
}

function tell(sessionId: string, words: string): void {
  const before = attachTroubles.get()
  const told = before.get(sessionId) ?? []
  // The same file may be among them twice.
  if (!told.includes(words)) attachTroubles.set(new Map(before).set(sessionId, [...told, words]))
}

function tooManyWords(files: readonly File[]): string {
  const names = joinWords(files.map(({ name }) => name))
  return `A question can have ${plural(MAX_ATTACHMENTS, 'file')}: ${names} ${files.length === 1 ? 'was' : 'were'} left out.`
}
