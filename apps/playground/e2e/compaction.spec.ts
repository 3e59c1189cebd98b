import type { Locator, Page } from '@playwright/test'
import { askAndWait, askExample, compact, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

const QUESTIONS = ['describe the cars', 'average horsepower by origin', '12 % of 340'] as const

test('a conversation is compacted by hand, goes on, survives a reload, and is brought back', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  for (const question of QUESTIONS) await askAndWait(page, question)
  await expect(page.getByRole('article')).toHaveCount(4)

  await compact(page)
  await expect(page.getByRole('article')).not.toHaveCount(4)
  const next = await askAndWait(page, 'and by cylinders?')
  await expect(next.getByRole('table')).toBeVisible()

  await page.reload()
  await expect(divider(page)).toBeVisible()
  await divider(page).click()
  await expect(earlier(page).getByText('Latest request')).toBeVisible()
  await earlier(page)
    .getByRole('button', { name: /earlier messages$/ })
    .click()
  await expect(earlier(page).getByRole('article', { name: 'Question: describe the cars' })).toBeVisible()

  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(divider(page)).toBeHidden()
  await expect(page.getByRole('article')).toHaveCount(5)
  // Said when it is saved.
  await expect(page.getByRole('status').filter({ hasText: 'The earlier messages are back' })).toHaveCount(1)
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(5)
  await expect(divider(page)).toBeHidden()
})

test('a conversation that is too short to compact says so', async ({ page }) => {
  await openPlayground(page)
  await page.getByRole('button', { name: 'Conversation menu' }).click()

  const item = page.getByRole('menuitem', { name: /^Compact conversation/ })
  await expect(item).toContainText('Nothing to compact yet')
  await expect(item).toBeDisabled()
})

function earlier(page: Page): Locator {
  return page.getByRole('region', { name: 'Earlier messages' })
}

function divider(page: Page): Locator {
  return earlier(page).getByRole('button', { name: 'Earlier messages are summarised' })
}
