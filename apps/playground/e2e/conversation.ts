import { expect, type Locator, type Page } from '@playwright/test'
import type { SampleFile } from './sample-files.ts'

/** A question that the empty page offers: it loads the cars, queries them, and draws a chart. */
export const EXAMPLE = 'Average horsepower by origin, and chart it'

/** A question whose answer takes minutes: a test that asks it stops it. */
export const ENDLESS = 'slowly count to 1000'

/** Open a new session, once it can be used. The practice model answers without pauses. */
export async function openPlayground(page: Page): Promise<void> {
  await page.goto('/?speed=full')
  await expectEmptySession(page)
}

/** Go to a new session, once the one that was shown has made room for it. */
export async function openNewSession(page: Page): Promise<void> {
  const before = page.url()
  await page.getByRole('button', { name: 'New session' }).click()
  await expect(page).not.toHaveURL(before)
  await expectEmptySession(page)
}

/** Shown from when the session is loaded: by then the page also listens to keys, and to files that are dropped. */
async function expectEmptySession(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
}

/** Click the example, and wait for its turn to end. */
export async function askExample(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: EXAMPLE }).click()
  await expectEnd(lastTurn(page))
  return lastTurn(page)
}

/**
 * Keep the first query of the page from ending until it is let go, whatever the speed of the machine: its database is on
 * the way as on a slow line. After a reload it is kept again.
 */
export async function holdQueries(page: Page): Promise<() => void> {
  let letGo = (): void => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/*.wasm', async (route) => {
    await released
    // The page that asked for it may have been reloaded meanwhile.
    await route.continue().catch(() => {})
  })
  return letGo
}

/** Wait for the query of a turn to run. */
export async function expectRunningQuery(turn: Locator): Promise<void> {
  await expect(turn.locator('li[data-tool="query_table"]')).toHaveAttribute('data-state', 'running')
}

/** Keep what goes by itself after some seconds, such as a notice. Before the page is opened. */
export async function holdNotices(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = window.setTimeout
    const startShort = (run: () => void, delayMs = 0, ...rest: []): number =>
      start(delayMs < 5000 ? run : () => {}, delayMs, ...rest)
    // What a page uses of it; the rest of its type is Node's.
    window.setTimeout = startShort as typeof window.setTimeout
  })
}

/** The place to write. */
export function question(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Your question', exact: true })
}

/** Write a question and send it. */
export async function ask(page: Page, text: string): Promise<void> {
  await question(page).fill(text)
  await question(page).press('Enter')
}

/** The newest question with its answer. */
export function lastTurn(page: Page): Locator {
  return page.getByRole('article').last()
}

/** Ask, and wait for the turn to end. */
export async function askAndWait(page: Page, text: string): Promise<Locator> {
  await ask(page, text)
  const turn = page.getByRole('article', { name: `Question: ${text}`, exact: true }).last()
  await expectEnd(turn)
  return turn
}

/** Have the older part of the conversation summarised, and wait for the line that says so. */
export async function compact(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Conversation menu' }).click()
  const item = page.getByRole('menuitem', { name: /^Compact conversation/ })
  await expect(item).toContainText(/\d+ messages would be summarised/)
  await item.click()
  await expect(page.getByRole('button', { name: 'Earlier messages are summarised' })).toBeVisible()
}

/** The bars of the charts in a part of the page. What draws them is loaded with the first chart. */
export async function expectBars(scope: Page | Locator, count: number): Promise<void> {
  await expect(scope.getByRole('figure').locator('g[aria-label="bar"] rect')).toHaveCount(count, { timeout: 30_000 })
}

/** Wait for a turn to end. */
export async function expectEnd(turn: Locator): Promise<void> {
  await expect(turn.getByTitle('Show this turn in the inspector')).toBeVisible({ timeout: 30_000 })
}

/** Pick files by the button beside the place to write. */
export async function addFiles(page: Page, files: readonly SampleFile[]): Promise<void> {
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).click()
  await (await chosen).setFiles([...files])
}

/** The files that will go with the question that is being written. */
export function draftFiles(page: Page): Locator {
  return page.getByRole('list', { name: 'Files for this question' })
}

/** Drop a file on the page, as if it had been dragged there. */
export async function dropFile(page: Page, file: { name: string; type: string; text: string }): Promise<void> {
  const transfer = await page.evaluateHandle(({ name, type, text }) => {
    const data = new DataTransfer()
    data.items.add(new File([text], name, { type }))
    return data
  }, file)
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer })
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
}
