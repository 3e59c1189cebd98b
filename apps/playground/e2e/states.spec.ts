import { violations } from './axe.ts'
import {
  ask,
  askAndWait,
  askExample,
  dropFile,
  ENDLESS,
  expectBars,
  expectRunningQuery,
  holdQueries,
  lastTurn,
  openPlayground,
  question,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('axe finds nothing while a turn runs, is stopped and is resumed', async ({ page }) => {
  await openPlayground(page)
  await ask(page, ENDLESS)
  await expect(lastTurn(page).locator('li[data-tool="slow_count"]')).toHaveAttribute('data-state', 'running')
  await ask(page, '1 + 1')
  await expect(page.getByRole('list', { name: 'Queued questions' }).getByText('Next')).toBeVisible()
  expect(await violations(page), 'running, with something queued').toEqual([])

  await question(page).press('Escape')
  await expect(page.getByRole('list', { name: 'Queued questions' }).getByText('Held')).toBeVisible()
  expect(await violations(page), 'stopped, with something held').toEqual([])
  await page.getByRole('button', { name: 'Take back' }).click()

  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: 'New session' }).click()
  await page.getByRole('button', { name: 'Penguins' }).click()
  await expect(page.getByRole('region', { name: 'Data', exact: true }).getByText(/^344 ×/)).toBeVisible()
  await ask(page, 'Share of penguins by island')
  await expectRunningQuery(lastTurn(page))
  await page.reload()
  await expectRunningQuery(lastTurn(page))
  letGo()
  await expect(lastTurn(page).getByText('resumed after a reload')).toBeVisible()
  expect(await violations(page), 'resumed').toEqual([])
})

test('axe finds nothing where something has gone wrong', async ({ page }) => {
  await openPlayground(page)
  const failed = await askAndWait(page, 'fail on purpose')
  await failed.locator('li[data-tool]').first().getByRole('button').first().click()
  expect(await violations(page), 'a tool that failed').toEqual([])
  await dropFile(page, { name: 'page.csv', type: 'text/csv', text: '<!doctype html><html><body>No</body></html>' })
  await expect(page.getByRole('alert').filter({ hasText: 'page.csv' })).toBeVisible()
  expect(await violations(page), 'a file that is no table').toEqual([])
})

test('axe finds nothing in a narrow window, its sheets and its menus', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await openPlayground(page)
  expect(await violations(page), 'empty').toEqual([])
  await askExample(page)
  await expectBars(page, 3)
  expect(await violations(page), 'answered').toEqual([])
  await question(page).blur()
  for (const [key, name] of [
    ['[', 'Sessions and data'],
    [']', 'Inspector'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('dialog', { name })).toBeVisible()
    expect(await violations(page), name).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name })).toBeHidden()
  }
  await page.getByRole('button', { name: 'Conversation menu' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  expect(await violations(page), 'menu').toEqual([])
})
