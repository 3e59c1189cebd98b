import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, expectEnd, lastTurn, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

/** Open the conversation of a page in another tab. */
async function openBeside(page: Page): Promise<Page> {
  const other = await page.context().newPage()
  await other.goto(page.url())
  return other
}

/** Wait until a tool that counts is shown at work. */
async function expectCounting(page: Page): Promise<void> {
  await expect(
    lastTurn(page)
      .getByText(/Counted \d+ of \d+/)
      .first(),
  ).toBeVisible()
}

test('a second tab shows what the first one does, and Stop there stops it', async ({ page }) => {
  await openPlayground(page)
  await ask(page, 'slowly count to 400')
  await expectCounting(page)
  const other = await openBeside(page)
  await expectCounting(other)
  await expect(other.getByTestId('activity')).toContainText(/Counted \d+ of 400/)
  expect(await violations(other), 'driven by another tab').toEqual([])
  await other.getByRole('button', { name: 'Stop', exact: true }).click()
  for (const tab of [page, other]) {
    await expect(lastTurn(tab).getByText('Stopped.')).toBeVisible()
    await expect(lastTurn(tab).locator('li[data-tool="slow_count"]')).toHaveAttribute('data-state', 'stopped')
  }
})

test('closing the tab that drives in the middle of a turn has the other one finish it', async ({ page }) => {
  await openPlayground(page)
  await ask(page, 'slowly count to 80')
  await expectCounting(page)
  const other = await openBeside(page)
  await expectCounting(other)
  await page.close()
  await expectEnd(lastTurn(other))
  await expect(lastTurn(other).getByText('Counted to 80').last()).toBeVisible()
})

test('a call is allowed in a second tab, and the first one shows what became of it', async ({ page }) => {
  await openPlayground(page)
  await page.getByRole('button', { name: 'Average horsepower by origin, and chart it' }).click()
  await expectEnd(lastTurn(page))
  await ask(page, 'export the cars as CSV')
  const card = (tab: Page) => tab.getByRole('region', { name: 'Save the table cars as a file?' })
  await expect(card(page)).toBeVisible()
  const other = await openBeside(page)
  const download = other.waitForEvent('download')
  await card(other).getByRole('button', { name: 'Allow' }).click()
  expect((await download).suggestedFilename()).toBe('cars.csv')
  for (const tab of [page, other]) {
    await expectEnd(lastTurn(tab))
    await expect(card(tab)).toHaveCount(0)
    await expect(tab.locator('li[data-tool="export_table"]').getByText('Allowed by you')).toBeVisible()
  }
})
