import { type Tool, tool } from '@turnloop/core'
import { findNotes, saveNote } from '../data/notes.ts'
import type { FindNotesAnswer, SaveNoteAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { toolAnswer } from './tool-answer.ts'

const MAX_NOTES = 20

/** The tool that keeps a note in this browser. A call that is run twice keeps one note: its key is the note's id. */
export const saveNoteTool: Tool = tool({
  name: 'save_note',
  title: 'Save a note',
  description:
    'Keep a short note for the user, over sessions. Use it when the user asks to note or remember something.',
  effect: 'idempotent',
  input: z.object({ text: z.string().min(1).max(2_000) }),
  execute: async ({ text }, { idempotencyKey }) => {
    const note = await saveNote({ id: idempotencyKey, text, createdAt: Date.now() })
    const answer: SaveNoteAnswer = { note }
    return toolAnswer(`Saved: ${note.text}`, answer)
  },
})

/** The tool that finds notes again. */
export const findNotesTool: Tool = tool({
  name: 'find_notes',
  title: 'Find notes',
  description: "Find the user's notes that hold all the given words, newest first; without words, the newest notes.",
  effect: 'read',
  input: z.object({ query: z.string().optional().describe('Words that have to be in the note.') }),
  execute: async ({ query }) => {
    const notes = (await findNotes(query)).slice(0, MAX_NOTES)
    const answer: FindNotesAnswer = { ...(query !== undefined && { query }), notes }
    const lines = notes.map(({ createdAt, text }) => `${new Date(createdAt).toISOString().slice(0, 10)}: ${text}`)
    return toolAnswer(lines.length === 0 ? 'No notes.' : lines.join('\n'), answer)
  },
})
