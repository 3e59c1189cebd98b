import { type Entry, MemoryStore, type Tool } from '@turnloop/core'
import type { ScriptStep } from '@turnloop/testing'
import { effectTool, openPage, type Page, type PageOptions } from './session-setup.ts'

const TOOLS: ScriptStep = { text: 'First.', calls: [{ name: 'look' }, { name: 'book' }, { name: 'pay' }] }

/** Three tools, whose effects outlive every page. */
export interface Effects {
  readonly look: { tool: Tool; runs: string[] }
  readonly book: { tool: Tool; runs: string[] }
  readonly pay: { tool: Tool; runs: string[] }
  readonly tools: Tool[]
}

/** Make them. */
export function effects(): Effects {
  const [look, book, pay] = [effectTool('look', 'read'), effectTool('book', 'idempotent'), effectTool('pay', 'unsafe')]
  return { look, book, pay, tools: [look.tool, book.tool, pay.tool] }
}

/** Answers as the conversation stands, on whatever page. */
export function answer({ messages }: { messages: readonly { role: string; content?: unknown }[] }): ScriptStep {
  const last = messages.at(-1)
  if (last?.role === 'tool') return 'Settled.'
  return JSON.stringify(last?.content).includes('Settle') ? TOOLS : 'Fine.'
}

/** The log of the turn that is cut below. */
export const whole: readonly Entry[] = await (async () => {
  const { session } = openPage(answer, { tools: effects().tools, toolExecution: 'sequential' })
  await session.send('Settle', { turnId: 'cut' })
  return session.getEntries()
})()

/** A disk on which the first entries of that turn were saved and then the page died. */
export async function cutDisk(length: number, queue: readonly string[] = []): Promise<MemoryStore> {
  const disk = new MemoryStore()
  const waitingInputs = queue.map((text, index) => ({
    ...{ id: `i${index}`, turnId: `t${index}`, createdAt: 0 },
    content: [{ type: 'text' as const, text }],
  }))
  const head = { id: 's', createdAt: 0, updatedAt: 0, lastSequence: length, turns: 1, state: {}, usage: {} }
  await disk.append('s', whole.slice(0, length), { head: { ...head, queue: waitingInputs } })
  return disk
}

/** How long the log is when an entry of this kind, for this tool, has just been written. */
export function after(type: Entry['type'], toolName?: string): number {
  const at = whole.findIndex((entry) => entry.type === type && (!toolName || JSON.stringify(entry).includes(toolName)))
  return at + 1
}

/** Open a page on such a disk. */
export function openCut(disk: MemoryStore, options: PageOptions = {}): Page & { effects: Effects } {
  const world = effects()
  return { ...openPage(answer, { store: disk, tools: world.tools, ...options }), effects: world }
}

/** The statuses of a log's calls. */
export function settled(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}`] : []))
}
