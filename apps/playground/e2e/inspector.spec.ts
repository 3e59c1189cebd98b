import { askAndWait, askExample, expectBars, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('a turn is drawn in time, and each bar leads to its place in the conversation', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  // Nothing moves any more when the chart is drawn.
  await expectBars(page, 3)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector.getByText('completed')).toBeVisible()

  const timeline = inspector.getByRole('list', { name: 'Time line of the turn' })
  await expect(timeline.getByText('iteration 2')).toBeVisible()
  await timeline.getByRole('button', { name: /^draw_chart/ }).click()
  await expect(timeline.getByText('attempt')).toBeVisible()
  await timeline.getByRole('button', { name: 'Show in the conversation' }).click()
  await expect(page.locator('[data-tool="draw_chart"]')).toBeInViewport()
})

test('the log shows every stored fact', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  const log = page.getByRole('region', { name: 'Log' })
  await log.getByRole('button', { name: 'Log' }).click()

  await expect(log.getByText('turn-started')).toBeVisible()
  await expect(log.getByText('turn-ended completed')).toBeVisible()
  await log.getByRole('button', { name: /tool-settled calculate/ }).click()
  await expect(log.getByText(/"status": "ok"/)).toBeVisible()
})

test('a pane that was closed stays closed', async ({ page }) => {
  await openPlayground(page)
  await page.getByRole('heading', { name: 'Ask your data' }).click()
  await page.keyboard.press(']')
  await expect(page.getByRole('complementary')).toHaveCount(0)

  await page.reload()
  await expect(page.getByRole('navigation')).toBeVisible()
  await expect(page.getByRole('complementary')).toHaveCount(0)
})
