import { ask, askAndWait, expectRunningQuery, holdQueries, lastTurn, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('what is said with Ctrl and Enter joins the turn that runs', async ({ page }) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: 'Penguins' }).click()
  await expect(page.getByRole('region', { name: 'Data', exact: true }).getByText(/^344 ×/)).toBeVisible()
  await ask(page, 'Share of penguins by island')
  await expectRunningQuery(lastTurn(page))
  await question(page).fill('12 % of 340')
  await question(page).press('ControlOrMeta+Enter')
  const queue = page.getByRole('list', { name: 'Queued questions' })
  await expect(queue).toContainText('Joins in')
  // Still so while it is changed.
  await queue.getByRole('button', { name: 'Change' }).click()
  await expect(queue.getByRole('textbox', { name: 'Queued question' })).toBeFocused()
  await expect(queue).toContainText('Joins in')
  await page.keyboard.press('Escape')

  letGo()
  const joined = page.getByRole('article', { name: 'Question: 12 % of 340' })
  await expect(joined.getByText(/40\.8/).last()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Turn 1', exact: true })).toBeVisible()
  await askAndWait(page, '5 % of 200')
  await expect(page.getByRole('heading', { name: 'Turn 2 of 2', exact: true })).toBeVisible()
})
