import type { Locator, Page } from '@playwright/test'
import { EXAMPLE, expectEnd, lastTurn, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

const MOST_STEPS = 80

/** Press Tab until something has the focus. On the way everything that has it shows that, and has a name. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press(key)
    expect(await faultOfFocus(page)).toBe('')
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return
  }
  throw new Error(`${MOST_STEPS} times ${key} did not lead to ${target}`)
}

/** What is wrong with the focus as it is; nothing where the page itself has it, between its end and its beginning. */
function faultOfFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const NONE = { outlineStyle: 'none', outlineWidth: '0px', boxShadow: 'none' }
    const focused = document.activeElement
    if (focused === null || focused === document.body) return ''
    const what = `${focused.tagName} ${focused.textContent?.slice(0, 40)}`
    const { width, height } = focused.getBoundingClientRect()
    // What only guards the ends of a dialog sends the focus on.
    if (focused.getAttribute('aria-hidden') === 'true' || focused.hasAttribute('data-base-ui-focus-guard')) return ''
    if (width === 0 || height === 0) return `${what} cannot be seen`
    // A place to write shows it by the box around it, and a choice by the label that it stands in.
    const shown = [
      focused,
      focused.closest('label'),
      focused.matches('input, textarea') ? focused.closest('form') : null,
    ]
    const hasRing = shown.some((element) => {
      const { outlineStyle, outlineWidth, boxShadow } = element ? getComputedStyle(element) : NONE
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
    })
    return hasRing ? '' : `${what} shows no focus`
  })
}

test('the main job is done by keyboard alone', async ({ page }) => {
  await openPlayground(page)
  await tabTo(page, page.getByRole('button', { name: EXAMPLE }))
  await page.keyboard.press('Enter')
  await expectEnd(lastTurn(page))

  // The tools of the answer are opened, and closed again.
  const query = lastTurn(page).getByRole('button', { name: /^query_table/ })
  await tabTo(page, query, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(query).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Enter')
  await expect(query).toHaveAttribute('aria-expanded', 'false')

  // A call that needs a person is allowed.
  await page.keyboard.press('/')
  await expect(question(page)).toBeFocused()
  await page.keyboard.type('export the cars as CSV')
  await page.keyboard.press('Enter')
  const card = page.getByRole('region', { name: 'Save the table cars as a file?' })
  await expect(card).toBeFocused()
  await tabTo(page, card.getByRole('button', { name: 'Allow' }))
  const download = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toBe('cars.csv')
  await expectEnd(lastTurn(page))
})

test('a turn is stopped, and what was queued is sent, by keyboard alone', async ({ page }) => {
  await openPlayground(page)
  await page.keyboard.press('/')
  await page.keyboard.type('slowly count to 1000')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('activity')).toBeVisible()
  await page.keyboard.type('12 % of 340')
  await page.keyboard.press('Enter')
  const queue = page.getByRole('list', { name: 'Queued questions' })
  await expect(queue.getByRole('listitem')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(lastTurn(page).getByText('Stopped.')).toBeVisible()

  await tabTo(page, queue.getByRole('button', { name: 'Send now' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(lastTurn(page).getByText(/40\.8/).last()).toBeVisible()
})

test('sessions, panes and settings are reached and left by keyboard alone', async ({ page }) => {
  await openPlayground(page)
  await page.keyboard.press('/')
  await page.keyboard.type('5 % of 200')
  await page.keyboard.press('Enter')
  await expectEnd(lastTurn(page))
  const address = page.url()

  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog')
  await expect(palette).toBeVisible()
  await page.keyboard.type('new session')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
  await expect(page).not.toHaveURL(address)

  await tabTo(page, page.getByRole('link', { name: '5 % of 200' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(address)
  await expect(lastTurn(page)).toContainText('10')

  const settings = page.getByRole('region', { name: 'Model', exact: true }).getByRole('button')
  await tabTo(page, settings, 'Shift+Tab')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await tabTo(page, dialog.getByRole('radio', { name: /^Practice model/ }))
  await page.keyboard.press('ArrowDown')
  await expect(dialog.getByRole('radio', { name: /^Practice model/ })).not.toBeChecked()
  await page.keyboard.press('ArrowUp')
  await expect(dialog.getByRole('radio', { name: /^Practice model/ })).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(settings).toBeFocused()

  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const isOpen = await inspector.isVisible()
  await page.keyboard.press(']')
  await expect(inspector).toBeVisible({ visible: !isOpen })
})
