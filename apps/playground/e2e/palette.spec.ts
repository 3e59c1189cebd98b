import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { askAndWait, openNewSession, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('the palette finds commands and sessions by keyboard', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await openNewSession(page)
  await open(page)
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')
  expect(await violations(page), 'the palette').toEqual([])
  await page.keyboard.type('340')
  await expect(options(page)).toHaveText(['12 % of 340'])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article', { name: 'Question: 12 % of 340' })).toBeVisible()

  await open(page)
  await page.keyboard.type('colours dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await open(page)
  await page.keyboard.type('write')
  await page.keyboard.press('Enter')
  await expect(question(page)).toBeFocused()

  await open(page)
  await page.keyboard.type('no such thing')
  await expect(page.getByText('Nothing has these words.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(options(page)).toHaveCount(0)
})

async function open(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Find a command or a session' })).toBeFocused()
}

function options(page: Page) {
  return page.getByRole('option')
}
