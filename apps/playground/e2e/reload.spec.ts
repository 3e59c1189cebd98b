import {
  ask,
  askAndWait,
  askExample,
  expectBars,
  expectEnd,
  expectRunningQuery,
  holdQueries,
  lastTurn,
  openPlayground,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('a reload in the middle of a tool loses nothing: the turn goes on and the next question is answered', async ({
  page,
}) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: 'Penguins' }).click()
  await expect(page.getByRole('region', { name: 'Data', exact: true }).getByText(/^344 ×/)).toBeVisible()
  await askAndWait(page, '12 % of 340')
  await ask(page, 'Share of penguins by island')
  await expectRunningQuery(lastTurn(page))

  await page.reload()
  await expect(page.getByRole('article', { name: 'Question: 12 % of 340' }).getByText(/40\.8/).last()).toBeVisible()
  const turn = page.getByRole('article', { name: 'Question: Share of penguins by island' })
  await expectRunningQuery(turn)
  letGo()
  await expectEnd(turn)
  await expect(turn.getByText('resumed after a reload')).toBeVisible()

  const next = await askAndWait(page, '5 % of 200')
  await expect(next.getByText(/\b10\b/).last()).toBeVisible()
})

test('a reload keeps the tables, the session and the address', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  const address = page.url()

  await page.reload()
  expect(page.url()).toBe(address)
  await expect(lastTurn(page).getByRole('table')).toBeVisible()
  await expectBars(page, 3)
  await expect(page.getByRole('region', { name: 'Data', exact: true }).getByText('406 × 9')).toBeVisible()
})
