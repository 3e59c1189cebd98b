import { openPlaygroundDatabase } from './database.ts'
import type { Note } from './note.ts'

/** Keep a note. The same id twice keeps the first: a repeated call is not a second note. */
export async function saveNote(note: Note): Promise<Note> {
  const database = await openPlaygroundDatabase()
  const transaction = database.transaction('notes', 'readwrite')
  const before = await transaction.store.get(note.id)
  if (before === undefined) await transaction.store.put(note)
  await transaction.done
  return before ?? note
}

/** Notes that hold every word of the query, newest first; all of them without one. */
export async function findNotes(query = ''): Promise<Note[]> {
  const database = await openPlaygroundDatabase()
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const notes = await database.getAll('notes')
  return notes
    .filter((note) => words.every((word) => note.text.toLowerCase().includes(word)))
    .sort((a, b) => b.createdAt - a.createdAt)
}

/** Forget a note. */
export async function removeNote(id: string): Promise<void> {
  const database = await openPlaygroundDatabase()
  await database.delete('notes', id)
}
