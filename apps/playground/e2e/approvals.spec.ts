import { readFileSync } from 'node:fs'
import type { Download, Locator, Page } from '@playwright/test'
import { violations } from './axe.ts'
import {
  ask,
  askAndWait,
  askExample,
  EXAMPLE,
  expectEnd,
  expectRunningQuery,
  holdNotices,
  holdQueries,
  lastTurn,
  openPlayground,
  question,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

const EXPORT = 'export the cars as CSV'

/** Open a session with the cars in it, and ask for a file of them. */
async function askForFile(page: Page): Promise<Locator> {
  await openPlayground(page)
  await askExample(page)
  await ask(page, EXPORT)
  await expect(card(page)).toBeVisible()
  return page.getByRole('article', { name: `Question: ${EXPORT}`, exact: true })
}

function card(page: Page): Locator {
  return page.getByRole('region', { name: 'Save the table cars as a file?' })
}

function toolCard(page: Page): Locator {
  return page.locator('li[data-tool="export_table"]')
}

/** Every file that a page saves. */
function downloadsOf(page: Page): Download[] {
  const saved: Download[] = []
  page.on('download', (download) => void saved.push(download))
  return saved
}

function allow(page: Page): Promise<void> {
  return card(page).getByRole('button', { name: 'Allow' }).click()
}

/** The entries of the session's log, as the inspector lists them. */
async function logOf(page: Page): Promise<Locator> {
  const log = page.getByRole('region', { name: 'Log' })
  await log.getByRole('button', { name: 'Log' }).click()
  return log
}

test('a call that needs a person waits, says so, and runs once it is allowed', async ({ page }) => {
  const saved = downloadsOf(page)
  const turn = await askForFile(page)
  await expect(card(page)).toBeFocused()
  await expect(page.getByTestId('activity')).toHaveText('Waits for you')
  await expect(
    page.getByRole('status').filter({ hasText: 'Waits for you: Save the table cars as a file?' }),
  ).toHaveCount(1)
  await expect(page.getByRole('link', { name: /waits for you/ })).toBeVisible()
  await expect(question(page)).toBeEnabled()
  expect(saved).toEqual([])

  const download = page.waitForEvent('download')
  await allow(page)
  const file = await download
  expect(file.suggestedFilename()).toBe('cars.csv')
  const text = readFileSync(await file.path(), 'utf8')
  expect([text.split('\r\n')[0], text.trimEnd().split('\r\n').length]).toEqual([
    'Name,Miles_per_Gallon,Cylinders,Displacement,Horsepower,Weight_in_lbs,Acceleration,Year,Origin',
    407,
  ])
  await expectEnd(turn)
  await expect(toolCard(page)).toHaveAttribute('data-state', 'done')
  await expect(toolCard(page).getByText('Allowed by you')).toBeVisible()
  await expect(page.getByRole('link', { name: /waits for you/ })).toHaveCount(0)
})

test('a call waits over a reload, and is allowed in another tab', async ({ page, context }) => {
  await holdNotices(page)
  await askForFile(page)
  await page.reload()
  await expect(card(page)).toBeVisible()

  const other = await context.newPage()
  await other.goto(page.url())
  const download = other.waitForEvent('download')
  await allow(other)
  expect((await download).suggestedFilename()).toBe('cars.csv')
  await expectEnd(lastTurn(other))

  // The first tab shows it too, and asks no more.
  await expectEnd(lastTurn(page))
  await expect(card(page)).toHaveCount(0)
  await expect(toolCard(page).getByText('Allowed by you')).toBeVisible()
  const log = await logOf(page)
  await expect(log.getByText('tool-settled export_table')).toHaveCount(1)
})

test('a call that is denied with a note is not run, and the model reads the note', async ({ page }) => {
  const saved = downloadsOf(page)
  const turn = await askForFile(page)
  await card(page).getByRole('button', { name: 'Deny and say why' }).click()
  await expect(card(page).getByRole('textbox', { name: 'Why not?' })).toBeFocused()
  await page.keyboard.type('not on this computer')
  await page.keyboard.press('Enter')

  await expectEnd(turn)
  await expect(turn.getByText('You said: “not on this computer”')).toBeVisible()
  await expect(toolCard(page).getByText('Not allowed by you: “not on this computer”')).toBeVisible()
  await expect(toolCard(page)).toHaveAttribute('data-state', 'refused')
  expect(saved).toEqual([])
})

test('what runs is what a person has made of the arguments', async ({ page }) => {
  const turn = await askForFile(page)
  await card(page).getByRole('textbox', { name: 'fileName' }).fill('old cars')
  const download = page.waitForEvent('download')
  // As in any form, Enter in a field goes on with it.
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toBe('old cars.csv')

  await expectEnd(turn)
  await expect(toolCard(page).getByText('Changed and allowed by you')).toBeVisible()
  const log = await logOf(page)
  await log.getByRole('button', { name: /tool-started export_table/ }).click()
  await expect(log.getByText(/"fileName": "old cars"/)).toBeVisible()
})

test('sending something else says no first, and is answered', async ({ page }) => {
  const saved = downloadsOf(page)
  const turn = await askForFile(page)
  await expect(question(page)).toHaveAccessibleDescription(/says no to what waits above/)
  const next = await askAndWait(page, '12 % of 340')

  await expect(next.getByText(/40\.8/).last()).toBeVisible()
  await expect(turn.getByText('You asked something else instead.')).toBeVisible()
  await expect(toolCard(page).getByText('Not allowed: something else was asked instead')).toBeVisible()
  await expect(card(page)).toHaveCount(0)
  expect(saved).toEqual([])
})

test('Stop ends the wait, and Escape on the card does not', async ({ page }) => {
  const turn = await askForFile(page)
  await expect(card(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeFocused()
  await expect(card(page)).toBeVisible()

  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(turn.getByText('Stopped.')).toBeVisible()
  await expect(toolCard(page)).toHaveAttribute('data-state', 'not run')
  const next = await askAndWait(page, '12 % of 340')
  await expect(next.getByText(/40\.8/).last()).toBeVisible()
})

test('a card does not take the focus from somebody who writes', async ({ page }) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: EXAMPLE }).click()
  await expectRunningQuery(lastTurn(page))
  await ask(page, EXPORT)
  await page.keyboard.type('and then')
  letGo()
  await expect(card(page)).toBeVisible()
  await expect(question(page)).toBeFocused()
  await expect(question(page)).toHaveValue('and then')
})

test('a question of the assistant is answered in its place', async ({ page }) => {
  await openPlayground(page)
  await ask(page, 'ask me what to note')
  const asked = page.getByRole('region', { name: 'What shall I keep as a note?' })
  await asked.getByRole('textbox', { name: 'Your answer' }).fill('Buy more RAM')
  await page.keyboard.press('Enter')

  await expectEnd(lastTurn(page))
  await expect(lastTurn(page).getByText('Noted: Buy more RAM')).toBeVisible()
  await expect(page.locator('li[data-tool="ask_user"]').getByText('Answered by you')).toBeVisible()
})

test('axe finds nothing in the card', async ({ page }) => {
  const turn = await askForFile(page)
  expect(await violations(page), 'waiting').toEqual([])
  await card(page).getByRole('button', { name: 'Deny and say why' }).click()
  await expect(card(page).getByRole('textbox', { name: 'Why not?' })).toBeFocused()
  expect(await violations(page), 'noting').toEqual([])
  await card(page).getByRole('button', { name: 'Deny', exact: true }).click()
  await expectEnd(turn)
  expect(await violations(page), 'denied').toEqual([])
})

test.describe('in a narrow window', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the card fits, and is decided with a thumb', async ({ page }) => {
    const turn = await askForFile(page)
    const overflow = await page
      .getByRole('region', { name: 'Conversation' })
      .evaluate((region) => region.scrollWidth - region.clientWidth)
    expect(overflow).toBe(0)
    await card(page).getByRole('button', { name: 'Deny', exact: true }).click()
    await expectEnd(turn)
  })
})
