import type { Locator, Page } from '@playwright/test'
import { openPlayground } from './conversation.ts'
import { expect } from './fixtures.ts'

/** Write a session of so many turns into the browser's database, every third with a tool call, and open it. */
export async function openLongSession(page: Page, turns: number): Promise<void> {
  await openPlayground(page)
  const id = await page.evaluate(writeLongSession, turns)
  await page.goto(`/?speed=full#/s/${id}`)
  await page.reload()
  await expect(turn(page, turns)).toBeVisible()
}

/** A question of the long session, with its answer. */
export function turn(page: Page, number: number): Locator {
  return page.getByRole('article', { name: `Question: Question number ${number}`, exact: true })
}

/** The rows of the conversation that are on the page. */
export function rows(page: Page): Locator {
  return view(page).locator('li[aria-posinset]')
}

/** What the conversation scrolls in. */
export function view(page: Page): Locator {
  return page.getByRole('region', { name: 'Conversation' })
}

/** How far a turn stands below the top of the view, in whole pixels. */
export function topOf(page: Page, number: number): Promise<number> {
  return turn(page, number).evaluate((element) => Math.round(element.getBoundingClientRect().top))
}

/** How far the view is from its end, in pixels. */
export function distanceToEnd(page: Page): Promise<number> {
  return view(page).evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
}

/** Turn the wheel over the conversation. */
export async function wheel(page: Page, pixels: number): Promise<void> {
  await view(page).hover()
  await page.mouse.wheel(0, pixels)
}

/** Runs in the page, so that it can use nothing from here. Resolves with the id of the session. */
function writeLongSession(turns: number): Promise<string> {
  const id = crypto.randomUUID()
  const entries: { sequence: number; at: number; [key: string]: unknown }[] = []
  const write = (turnId: string, ...facts: object[]): void => {
    for (const fact of facts) entries.push({ ...fact, turnId, sequence: entries.length + 1, at: 1e12 + entries.length })
  }
  const message = (kind: string, number: number, more: object): object => ({
    type: 'message',
    message: { id: `${kind}-${number}`, createdAt: 1e12, ...more },
  })
  for (let number = 1; number <= turns; number++) {
    const turnId = `turn-${number}`
    const callId = `call_${number}`
    const question = [{ type: 'text', text: `Question number ${number}` }]
    const text = `Answer **${number}**. ${'Some more words. '.repeat((number * 7) % 60)}`
    const call = { type: 'tool-call', callId, wireId: callId, toolName: 'calculate', inputText: '{"expression":"1"}' }
    const result = { content: [{ type: 'text', text: '1' }] }
    write(
      turnId,
      { type: 'turn-started', agentName: 'Ask your data', modelId: 'practice', history: true },
      message('asked', number, { role: 'user', content: question }),
    )
    if (number % 3 === 0)
      write(
        turnId,
        message('calls', number, { role: 'assistant', content: [call], stopReason: 'toolUse' }),
        { type: 'checkpoint', position: 'reply' },
        { type: 'tool-started', callId, toolName: 'calculate', input: {}, idempotencyKey: callId, attempt: 1 },
        { type: 'tool-settled', callId, toolName: 'calculate', status: 'ok', result, durationMs: 1 },
        message('results', number, { role: 'tool', calls: [{ callId }] }),
        { type: 'checkpoint', position: 'batch' },
      )
    write(
      turnId,
      message('answer', number, { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'endTurn' }),
      { type: 'checkpoint', position: 'reply' },
      { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 1 },
    )
  }
  entries.push({ type: 'session-changed', title: 'A long session', sequence: entries.length + 1, at: 1e12 })
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('ask-your-data')
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(['entries', 'heads', 'logs'], 'readwrite')
      const put = (store: string, value: unknown, key: IDBValidKey): void =>
        void transaction.objectStore(store).put(value, key)
      for (const entry of entries) put('entries', entry, [id, entry.sequence])
      const lastSequence = entries.length
      const times = { createdAt: 1e12, updatedAt: Date.now() }
      const title = { title: 'A long session', isNamed: true }
      put('heads', { id, ...title, ...times, lastSequence, fence: 1, turns, state: {}, usage: {}, queue: [] }, id)
      put('logs', { fence: 1, lastSequence, serial: 1 }, id)
      transaction.oncomplete = () => {
        opening.result.close()
        resolve(id)
      }
      transaction.onerror = () => reject(transaction.error)
    }
  })
}
