import type { Locator, Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, askExample, ENDLESS, expectEnd, lastTurn, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('the developer tools open from the palette, and are loaded only then', async ({ page }) => {
  // A turn with SQL and a chart, three views, axe in each.
  test.slow()
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(request.url()))
  await openPlayground(page)
  await askExample(page)
  expect(loaded.filter((url) => url.includes('devtools'))).toEqual([])

  const panel = await openTools(page)
  expect(loaded.filter((url) => url.includes('devtools'))).not.toEqual([])
  await expect(panel.getByRole('option', { name: /query_table/ })).toBeVisible()
  await expect(panel.getByRole('option', { name: /turn ended/ })).toBeVisible()
  expect(await violations(page), 'the time line').toEqual([])

  await panel.getByRole('tab', { name: 'Log' }).click()
  await panel.getByRole('searchbox', { name: 'Search the log' }).fill('draw_chart')
  await panel.getByRole('option', { name: /tool-settled draw_chart/ }).click()
  await expect(panel.getByRole('region', { name: /^JSON of entry/ })).toContainText('"status": "ok"')
  expect(await violations(page), 'the log').toEqual([])

  await panel.getByRole('tab', { name: 'Replay' }).click()
  await panel.getByRole('button', { name: 'Replay this session' }).click()
  await panel.getByRole('button', { name: 'To the start' }).click()
  await panel.getByRole('button', { name: 'Step forward' }).click()
  await expect(panel.getByText('entry 1 of')).toBeVisible()
  expect(await violations(page), 'the replay').toEqual([])
})

test('the developer tools stay open over a reload, and closed', async ({ page }) => {
  await openPlayground(page)
  const panel = await openTools(page)
  await page.reload()
  await expect(panel).toBeVisible()
  await panel.getByRole('button', { name: 'Close devtools' }).click()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
  await expect(panel).toHaveCount(0)
})

test('the page makes room for the developer tools, wherever they stand', async ({ page }) => {
  await openPlayground(page)
  const panel = await openTools(page)
  await expect.poll(() => gap(page, panel, 'above')).toBeGreaterThanOrEqual(0)

  await panel.getByRole('separator', { name: 'Size of the panel' }).press('ArrowUp')
  await expect.poll(() => gap(page, panel, 'above')).toBeGreaterThanOrEqual(0)
  await panel.getByRole('button', { name: 'Dock at the right' }).click()
  await expect.poll(() => gap(page, panel, 'before')).toBeGreaterThanOrEqual(0)

  await page.reload()
  await expect(panel.getByRole('button', { name: 'Dock at the bottom' })).toBeVisible()
  await expect.poll(() => gap(page, panel, 'before')).toBeGreaterThanOrEqual(0)
})

/** How far the conversation ends above the panel, or before it. */
async function gap(page: Page, panel: Locator, side: 'above' | 'before'): Promise<number> {
  const [main, tools] = await Promise.all([page.getByRole('main').boundingBox(), panel.boundingBox()])
  if (main === null || tools === null) return Number.NaN
  return side === 'above' ? tools.y - (main.y + main.height) : tools.x - (main.x + main.width)
}

test('keys in the developer tools do nothing to the page', async ({ page }) => {
  test.slow()
  await openPlayground(page)
  await ask(page, ENDLESS)
  const panel = await openTools(page)
  await expect(panel.getByText('running').first()).toBeVisible()
  await panel.getByRole('tab', { name: 'Log' }).click()
  const search = panel.getByRole('searchbox', { name: 'Search the log' })
  await search.pressSequentially('/[')
  await expect(search).toHaveValue('/[')

  await search.press('Escape')
  await expect(search).toHaveValue('')
  await search.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(question(page)).toBeFocused()
  await expect(lastTurn(page)).not.toContainText('Stopped.')
  await page.keyboard.press('Escape')
  await expectEnd(lastTurn(page))
  await expect(lastTurn(page)).toContainText('Stopped.')
})

async function openTools(page: Page) {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Find a command or a session' }).fill('developer')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'Turnloop devtools' })
  await expect(panel).toBeVisible()
  return panel
}
