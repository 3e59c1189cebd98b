import { expect, type Locator, type Page } from '@playwright/test'

/** Open a new session; the practice model answers without pauses unless its own pace is asked for. */
export async function openPlayground(page: Page, options: { pace?: 'full' | 'human' } = {}): Promise<void> {
  await page.goto(options.pace === 'human' ? '/' : '/?speed=full')
  await expect(question(page)).toBeVisible()
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
