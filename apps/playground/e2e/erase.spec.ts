import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { addFiles, askAndWait, dropFile, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { pngFile } from './sample-files.ts'

test('a question is erased with its file and its name, everywhere and for good', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await openPlayground(page)
  await addFiles(page, [pngFile('secret.png', { width: 20, height: 20 })])
  await askAndWait(page, 'Look at my secret picture')
  await expect(page.getByRole('heading', { name: 'Look at my secret picture', exact: true })).toBeVisible()
  await eraseFromMenu(page, 'Erase this question…')

  const dialog = page.getByRole('alertdialog', { name: 'Erase this question?' })
  await expect(dialog).toContainText('“Look at my secret picture” with secret.png is taken out')
  expect(await violations(page), 'asked whether it is meant').toEqual([])
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: /^Open secret\.png/ })).toBeVisible()

  await eraseFromMenu(page, 'Erase this question…')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  const turn = page.getByRole('article', { name: 'Question that was erased' })
  await expect(turn.getByText('Question erased')).toBeVisible()
  await expect(turn.getByRole('button', { name: 'Answer again' })).toBeHidden()
  expect(await violations(page), 'erased').toEqual([])
  await page.reload()
  await expect(turn.getByText('Question erased')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Untitled session', exact: true })).toBeVisible()
  await expect.poll(() => stored(page)).not.toContain('my secret')
})

test('an erased answer leaves one line, and the conversation goes on', async ({ page }) => {
  await openPlayground(page)
  const turn = await askAndWait(page, '12 % of 340')
  await eraseFromMenu(page, 'Erase this answer…')
  const dialog = page.getByRole('alertdialog', { name: 'Erase this answer?' })
  await expect(dialog).toContainText('1 tool call (calculate)')
  await dialog.getByRole('button', { name: 'Erase' }).click()

  await expect(turn.getByText('Answer erased')).toHaveCount(1)
  await expect(turn.getByText(/40\.8/)).toHaveCount(0)
  await expect(turn.getByRole('button', { name: 'Copy answer' })).toBeHidden()
  const next = await askAndWait(page, '5 % of 200')
  await expect(next.getByText(/\b10\b/).last()).toBeVisible()
})

test('a large result is drawn after a reload, and loaded in the log on request', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await page.setViewportSize({ width: 1440, height: 900 })
  await openPlayground(page)
  const rows = Array.from(
    { length: 2000 },
    (_, index) => `${(index * 1.2345).toFixed(4)},${(index * 7919) % 1009}.1234,group ${index % 3}`,
  )
  await dropFile(page, { name: 'wide.csv', type: 'text/csv', text: `height,weight,kind\n${rows.join('\n')}\n` })
  await expect(page.getByText('is ready: 2,000 rows')).toBeVisible()
  await askAndWait(page, 'plot height by weight')
  const dots = page.getByRole('figure').locator('g[aria-label="dot"] circle')
  await expect.poll(() => dots.count()).toBeGreaterThan(1000)

  await page.reload()
  await expect.poll(() => dots.count(), { timeout: 30_000 }).toBeGreaterThan(1000)
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await page.getByRole('button', { name: /tool-settled draw_chart/ }).click()
  const apart = page.getByRole('list', { name: 'Stored apart' })
  await expect(apart).toContainText(/structured result\s*stored apart, \d+ kB/)
  expect(await violations(page), 'stored apart').toEqual([])
  await apart.getByRole('button', { name: /^Load structured result/ }).click()
  await expect(page.getByRole('region', { name: 'Stored apart: structured result' })).toContainText('"rows"')
})

async function eraseFromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More for this answer' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** All that the page has in its databases. */
function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const texts: string[] = []
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name ?? ''))
      for (const store of database.objectStoreNames) {
        const values = await done(database.transaction(store).objectStore(store).getAll())
        texts.push(JSON.stringify(values))
      }
      database.close()
    }
    return texts.join('\n')
  })
}
