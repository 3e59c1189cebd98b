import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { askAndWait, dropFile, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('a session that was exported and deleted is the same when it is imported', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await askAndWait(page, '5 % of 200')
  const before = await shown(page)
  const file = await exported(page, () => chooseFromMenu(page, /^Export session/))
  expect(file.name).toMatch(/^12-of-340-\d{4}-\d\d-\d\d\.json$/)

  await deleteEverything(page)
  await dropFile(page, { name: file.name, type: 'application/json', text: file.text })
  await expect(page.getByRole('heading', { name: '12 % of 340', exact: true })).toBeVisible()
  expect(await shown(page)).toEqual(before)
  await askAndWait(page, '10 % of 50')
})

test('an export without its words has none of them, and all sessions go into one file', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  const redacted = await exported(page, () => chooseFromMenu(page, /^Export without its words/))
  expect(redacted.text).toContain('"turn-ended"')
  expect(redacted.text).not.toContain('% of 340')

  await openStorage(page)
  const all = await exported(page, () => page.getByRole('button', { name: 'Export all sessions' }).click())
  expect(all.name).toMatch(/^sessions-/)
  await page.getByLabel('File with sessions').setInputFiles({
    name: 'all.json',
    mimeType: 'application/json',
    buffer: Buffer.from(all.text),
  })
  await expect(page.getByText('2 sessions, 0 tables')).toBeVisible()
})

test('a file that is broken, or of something else, is refused kindly', async ({ page }) => {
  await openPlayground(page)
  await dropFile(page, {
    name: 'half.json',
    type: 'application/json',
    text: '{"format":"turnloop-session",\n"entries":[',
  })
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('half.json could not be read')
  expect(await violations(page), 'a file that was refused').toEqual([])
  await notice.getByRole('button', { name: 'Dismiss' }).click()
  await expect(notice).toHaveCount(0)

  const later = JSON.stringify({ format: 'turnloop-session', version: 99, id: 'x', entries: [] })
  await dropFile(page, { name: 'later.json', type: 'application/json', text: later })
  await expect(notice).toContainText('its version is 99')
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
})

async function exported(page: Page, start: () => Promise<void>): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent('download')
  await start()
  const file = await download
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

async function chooseFromMenu(page: Page, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Conversation menu' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

async function openStorage(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Model', exact: true }).getByRole('button').click()
  await page.getByRole('tab', { name: 'Storage' }).click()
}

async function deleteEverything(page: Page): Promise<void> {
  await openStorage(page)
  expect(await violations(page), 'storage settings').toEqual([])
  await page.getByRole('button', { name: 'Delete all…' }).click()
  await page.getByRole('button', { name: 'Delete all', exact: true }).click()
  await expect(page.getByText('0 sessions, 0 tables')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeHidden()
}

/** The conversation as it can be read, without what time it took to draw. */
async function shown(page: Page): Promise<string[]> {
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(page.getByTitle('Show this turn in the inspector')).toHaveCount(2)
  return page.getByRole('article').allInnerTexts()
}
