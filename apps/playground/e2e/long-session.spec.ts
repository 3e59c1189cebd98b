import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, askAndWait, expectEnd } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { distanceToEnd, openLongSession, rows, topOf, turn, view, wheel } from './long-session.ts'

/** To ask, the whole log is read: enough that most of it is not on the page, and no more. */
const TURNS = 401

// Thousands of entries are written first, each in its own place.
test.beforeEach(() => test.slow())

/** Whatever the length of a session: what is seen, what is near it, and the last turns. */
const MOST_ROWS = 40

test('a session of 5,000 turns opens at its newest one, and older ones come in above', async ({ page }) => {
  await openLongSession(page, 5000)
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(3)
  expect(await rows(page).count()).toBeLessThan(MOST_ROWS)
  expect(await violations(page), 'the end of a long session').toEqual([])

  const older = page.getByRole('button', { name: 'Show older messages' })
  for (const step of [1, 2]) {
    // As a hand would: once more where the view still finds its place after the last step.
    await expect(async () => {
      await view(page).evaluate((element) => element.scrollTo(0, 0))
      await expect(older).toBeInViewport({ timeout: 500 })
    }).toPass()
    const first = await firstNumber(page)
    await expect.poll(() => stays(() => topOf(page, first))).toBe(true)
    const top = await topOf(page, first)

    await older.click()
    await expect.poll(() => posinset(page, first), `step ${step}`).toBeGreaterThan(1)

    expect(Math.abs((await topOf(page, first)) - top)).toBeLessThan(3)
  }
  expect(await rows(page).count()).toBeLessThan(MOST_ROWS)
  expect(await violations(page), 'the middle of a long session').toEqual([])

  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect(turn(page, 5000)).toBeInViewport()
  await expect(rows(page).last()).toHaveAttribute('aria-setsize', '-1')
})

test('an answer changes nothing above it, and is followed only by who is at the end', async ({ page }) => {
  await openLongSession(page, TURNS)
  await askAndWait(page, '12 % of 340')
  await watchClosedRows(page)
  await ask(page, 'slowly count to 12')
  const growing = page.getByRole('article', { name: 'Question: slowly count to 12' })
  await expect(growing.locator('[data-tool="slow_count"]')).toHaveAttribute('data-state', 'running')
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(3)

  await wheel(page, -600)
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  await expect.poll(() => stays(() => topOf(page, TURNS))).toBe(true)
  const top = await topOf(page, TURNS)
  await expectEnd(growing)

  expect(await topOf(page, TURNS)).toBe(top)
  expect(await page.evaluate(() => window.name)).toBe('')
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(3)
})

test('the inspector leads to places that are not on the page', async ({ page }) => {
  await openLongSession(page, TURNS)
  // To ask, the whole log is read; what is shown of it stays.
  await askAndWait(page, '12 % of 340')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const earlier = inspector.getByRole('button', { name: 'Earlier turn' })
  for (let step = 0; step < 63; step++) await earlier.press('Enter')
  const far = TURNS - 62
  await expect(inspector.getByRole('heading', { name: `Turn ${far} of ${TURNS + 1}` })).toBeVisible()
  await expect(turn(page, far)).toHaveCount(0)

  const timeline = inspector.getByRole('list', { name: 'Time line of the turn' })
  await timeline.getByRole('button', { name: /^calculate/ }).click()
  await timeline.getByRole('button', { name: 'Show in the conversation' }).click()

  await expect(turn(page, far).locator('[data-tool="calculate"]')).toBeInViewport()
  await expect.poll(() => stays(() => topOf(page, far))).toBe(true)
  await expect(turn(page, far).locator('[data-tool="calculate"]')).toBeInViewport()
})

test('what has the focus, was opened or is selected stays on the page', async ({ page }) => {
  await openLongSession(page, TURNS)
  const opened = TURNS - 26
  await turn(page, TURNS).hover()
  await view(page).evaluate((element) => element.scrollTo(0, 0))
  const line = turn(page, opened).locator('[data-tool="calculate"] > button')
  await line.press('Enter')
  await expect(line).toHaveAttribute('aria-expanded', 'true')
  await view(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(turn(page, TURNS)).toBeInViewport()
  await expect(turn(page, opened + 1)).toHaveCount(0)

  await expect(line).toBeFocused()
  await expect(line).toHaveAttribute('aria-expanded', 'true')

  await page.evaluate(() => {
    const articles = [...document.querySelectorAll('article')]
    getSelection()?.setBaseAndExtent(articles.at(0) ?? document, 0, articles.at(-1) ?? document, 1)
  })
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toContain(`Question number ${TURNS - 20}`)
})

/** The number of the first question of the session that is on the page. */
async function firstNumber(page: Page): Promise<number> {
  const name = await page.getByRole('article').first().getAttribute('aria-label')
  return Number(/\d+$/.exec(name ?? '')?.[0])
}

async function posinset(page: Page, number: number): Promise<number> {
  const row = rows(page).filter({ has: turn(page, number) })
  return Number(await row.getAttribute('aria-posinset'))
}

/** Whether something has been the same for a few frames of a browser. */
async function stays(read: () => Promise<number>): Promise<boolean> {
  const first = await read()
  for (let look = 0; look < 4; look++) if ((await read()) !== first) return false
  return true
}

/** From now on `window.name` tells of what changes in rows that are on the page now. */
function watchClosedRows(page: Page): Promise<void> {
  return page.evaluate(() => {
    window.name = ''
    const observer = new MutationObserver((changes) => {
      for (const { type, target } of changes) window.name += `${type} in ${target.textContent?.slice(0, 40)}\n`
    })
    // What a row is placed by, and whether its buttons may be pressed, stands apart from what it shows.
    const what = { childList: true, characterData: true, subtree: true }
    for (const article of document.querySelectorAll('article')) observer.observe(article, what)
  })
}
