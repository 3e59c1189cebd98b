import type { Page } from '@playwright/test'
import { askAndWait, askExample, expectBars, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test.use({ viewport: { width: 360, height: 740 } })

test('a narrow window shows the conversation alone and works by keyboard', async ({ page }) => {
  await openPlayground(page)
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await page.keyboard.press('/')
  await expect(question(page)).toBeFocused()
  await page.keyboard.type('12 % of 340')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').getByText(/40\.8/).last()).toBeVisible()
  await question(page).blur()

  await page.keyboard.press('[')
  const sessions = page.getByRole('dialog', { name: 'Sessions and data' })
  await expect(sessions.getByRole('link', { name: '12 % of 340' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sessions).toBeHidden()

  await page.keyboard.press(']')
  const inspector = page.getByRole('dialog', { name: 'Inspector' })
  await expect(inspector.getByRole('heading', { name: 'Turn 1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(inspector).toBeHidden()
})

test('nothing is wider than a narrow window', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  await expectBars(page, 3)

  const overflow = await page
    .getByRole('region', { name: 'Conversation' })
    .evaluate((region) => region.scrollWidth - region.clientWidth)
  expect(overflow).toBe(0)
})

test('a session that is chosen closes the sheet it was chosen in', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await page.getByRole('button', { name: 'Sessions', exact: true }).click()
  await page.getByRole('button', { name: 'New session' }).click()

  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
})

test.describe('with a finger', () => {
  test.use({ hasTouch: true, isMobile: true })

  test('every button can be hit', async ({ page }) => {
    await openPlayground(page)
    const turn = await askExample(page)
    await expectBars(page, 3)
    await turn.getByRole('button', { name: /^query_table/ }).click()
    await expect(turn.getByRole('region', { name: 'Rows of the query' })).toBeVisible()
    expect(await smallButtons(page), 'conversation').toEqual([])
    for (const pane of ['Sessions', 'Inspector']) {
      await page.getByRole('button', { name: pane, exact: true }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      expect(await smallButtons(page), pane).toEqual([])
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toBeHidden()
    }
  })
})

/** The buttons that are lower than 40 px, by their names. */
function smallButtons(page: Page): Promise<string[]> {
  return page
    .getByRole('button')
    .evaluateAll((buttons) =>
      buttons
        .filter((button) => button.getBoundingClientRect().height < 40)
        .map((button) => button.getAttribute('aria-label') ?? button.textContent ?? ''),
    )
}

test('paper is light and has no buttons on it', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })

  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
  await expect(page.getByRole('button', { name: 'Answer again' })).toBeHidden()
  await expect(question(page)).toBeHidden()
  await expect(page.getByRole('article').getByText(/40\.8/).last()).toBeVisible()
})
