import { violations } from './axe.ts'
import { askAndWait, askExample, compact, expectBars, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('axe finds nothing in any view', async ({ page }) => {
  await openPlayground(page)
  expect(await violations(page), 'empty').toEqual([])

  const turn = await askExample(page)
  await expectBars(page, 3)
  await turn.getByRole('button', { name: /^query_table/ }).click()
  await expect(turn.getByRole('region', { name: 'Rows of the query' })).toBeVisible()
  expect(await violations(page), 'answered').toEqual([])

  await askAndWait(page, '12 % of 340')
  await compact(page)
  await page.getByRole('button', { name: 'Earlier messages are summarised' }).click()
  await page.getByRole('button', { name: /earlier messages$/ }).click()
  await expect(page.getByText('Latest request')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Earlier messages' }).getByRole('article').first()).toBeVisible()
  expect(await violations(page), 'compacted').toEqual([])

  await page.getByRole('region', { name: 'Model', exact: true }).getByRole('button').click()
  await page.getByRole('radio', { name: /^OpenAI-compatible/ }).click()
  await expect(page.getByLabel('Address')).toBeVisible()
  expect(await violations(page), 'settings').toEqual([])
})
