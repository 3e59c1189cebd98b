import { afterEach, expect, test } from 'vitest'
import { findNotes, removeNote, saveNote } from '../../src/data/notes.ts'
import { answerOf } from '../../src/model/read-results.ts'
import { findNotesTool, saveNoteTool } from '../../src/tools/notes-tools.ts'
import { callTool } from './call-tool.ts'

afterEach(async () => {
  for (const note of await findNotes()) await removeNote(note.id)
})

const found = async (input: object) =>
  answerOf(await callTool(findNotesTool, 'find_notes', input), 'find_notes')?.notes.map((note) => note.text)

test('a note is found by its words, newest first', async () => {
  await saveNote({ id: 'a', text: 'Japan leads in mileage', createdAt: 1 })
  await saveNote({ id: 'b', text: 'Penguins are heavy', createdAt: 2 })
  await saveNote({ id: 'c', text: 'Mileage of Japan, again', createdAt: 3 })

  expect(await found({ query: 'japan MILEAGE' })).toEqual(['Mileage of Japan, again', 'Japan leads in mileage'])
  expect(await found({ query: 'boats' })).toEqual([])
  expect(await found({})).toHaveLength(3)
})

test('a saved note is there for the next call', async () => {
  const result = await callTool(saveNoteTool, 'save_note', { text: 'Look at 1980' })

  expect(answerOf(result, 'save_note')?.note.text).toBe('Look at 1980')
  expect(await found({ query: '1980' })).toEqual(['Look at 1980'])
})

test('a call that is run twice keeps one note', async () => {
  await saveNote({ id: 'key', text: 'once', createdAt: 1 })
  await saveNote({ id: 'key', text: 'once', createdAt: 2 })

  expect(await findNotes()).toEqual([{ id: 'key', text: 'once', createdAt: 1 }])
})

test('an empty note is refused', async () => {
  expect((await callTool(saveNoteTool, 'save_note', { text: '' })).status).toBe('error')
})
