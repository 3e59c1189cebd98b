import type { Page } from '@playwright/test'
import {
  askAndWait,
  EXAMPLE,
  expectEnd,
  expectRunningQuery,
  holdNotices,
  holdQueries,
  lastTurn,
  openNewSession,
  openPlayground,
  question,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('two sessions do not mix, not even while one of them works', async ({ page }) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: EXAMPLE }).click()
  await expectRunningQuery(lastTurn(page))
  const first = page.url()

  await openNewSession(page)
  const other = await askAndWait(page, '12 % of 340')
  await expect(other.getByText(/40\.8/).last()).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(1)

  await page.goBack()
  await expect(page).toHaveURL(first)
  const held = page.getByRole('article', { name: `Question: ${EXAMPLE}` })
  await expectRunningQuery(held)
  letGo()
  await expectEnd(held)
  await expect(page.getByRole('article')).toHaveCount(1)
  await page.goForward()
  await expect(page.getByRole('article', { name: 'Question: 12 % of 340' })).toBeVisible()
})

test('a draft stays with its session', async ({ page }) => {
  await openPlayground(page)
  await question(page).fill('half a thought')
  await openNewSession(page)
  await expect(question(page)).toHaveValue('')

  await page.goBack()
  await expect(question(page)).toHaveValue('half a thought')
})

test('a session is named by its first question, found, and renamed', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await openNewSession(page)
  await askAndWait(page, 'describe the cars')
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('340')
  await expect(sessionLinks(page)).toHaveText(['12 % of 340'])

  await menuOf(page, '12 % of 340', 'Rename')
  const title = page.getByRole('textbox', { name: 'Title of the session' })
  await title.fill('Percentages')
  await title.press('Enter')
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('')
  await expect(sessionLinks(page)).toContainText(['Percentages', 'Describe the cars'])
})

test('a deleted session can be had back, and is gone for good when it is not', async ({ page, context }) => {
  await holdNotices(page)
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await menuOf(page, '12 % of 340', 'Delete')
  await expect(sessionLinks(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(sessionLinks(page)).toHaveText(['12 % of 340'])

  await menuOf(page, '12 % of 340', 'Delete')
  await expect(sessionLinks(page)).toHaveCount(0)
  // Another tab has it for as long as it can be had back here.
  const other = await context.newPage()
  await openPlayground(other)
  await expect(sessionLinks(other)).toHaveText(['12 % of 340'])
  // Its buttons come forward when one goes there.
  await page.getByText('Deleted “12 % of 340”').last().hover()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await expect(sessionLinks(other)).toHaveCount(0)
  await page.reload()
  await expect(page.getByText('Your conversations are kept here')).toBeVisible()
})

function sessionLinks(page: Page) {
  return page.getByRole('region', { name: 'Sessions', exact: true }).getByRole('link')
}

async function menuOf(page: Page, title: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${title}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
