import { violations } from './axe.ts'
import { askAndWait, openNewSession, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('without room the turn ends, the page says what is not saved, and room saves it', async ({ page, baseURL }) => {
  const origin = new URL(baseURL ?? '').origin
  const browser = await page.context().newCDPSession(page)
  // Before the database is opened: what is there then, the browser takes for room for some time.
  await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
  await openPlayground(page)
  const turn = await askAndWait(page, '12 % of 340')
  await expect(turn.getByText(/40\.8/).last()).toBeVisible()
  const notice = page.getByRole('status').filter({ hasText: 'There is no room left in this browser' })
  await expect(notice).toContainText(/The last \d+ steps wait in this tab/)
  expect(await violations(page), 'no room').toEqual([])

  await browser.send('Storage.overrideQuotaForOrigin', { origin })
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Everything is saved again.').first()).toBeVisible()
  await expect(notice).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('article', { name: 'Question: 12 % of 340' })).toBeVisible()
})

test('what cannot be saved stays within reach, and is saved once there is room', async ({ page, baseURL }) => {
  const origin = new URL(baseURL ?? '').origin
  const browser = await page.context().newCDPSession(page)
  await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  const unsaved = page.getByRole('region', { name: 'Not saved' }).getByRole('link', { name: '12 % of 340' })
  await expect(unsaved).toHaveAttribute('aria-current', 'page')
  await openNewSession(page)
  await expect(page.getByText('Everything is saved again.')).toHaveCount(0)
  await unsaved.click()
  await expect(page.getByRole('article', { name: 'Question: 12 % of 340' })).toBeVisible()

  await openNewSession(page)
  await browser.send('Storage.overrideQuotaForOrigin', { origin })
  await askAndWait(page, '1 + 1')
  const today = page.getByRole('region', { name: 'Today' })
  await expect(today.getByRole('link', { name: '12 % of 340' })).toBeVisible()
  await expect(unsaved).toHaveCount(0)
})
