import type { Locator, Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, askAndWait, expectEnd, lastTurn, openPlayground, question } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { collectTexts, readDatabases } from './seen-texts.ts'

const ADDRESS = 'ada@lovelace.org'

const DATA = 'Personal data in questions'
const WORDS = 'Words in answers'
const TIMES = 'How long tools take'

/** A question that the practice model cannot answer, and says so: by its rules. */
const UNANSWERABLE = 'Who was Ada?'

async function openChecks(page: Page): Promise<Locator> {
  await page.getByRole('region', { name: 'Model', exact: true }).getByRole('button').click()
  await page.getByRole('tab', { name: 'Checks and hooks' }).click()
  return page.getByRole('tabpanel', { name: 'Checks and hooks' })
}

async function closeSettings(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toHaveCount(0)
}

/** Switch one on, or off, with whatever else is to be set. */
async function flip(page: Page, name: string, andThen?: (section: Locator) => Promise<void>): Promise<void> {
  const section = await openChecks(page)
  await section.getByRole('switch', { name }).click()
  await andThen?.(section)
  await closeSettings(page)
}

function setWords(words: string): (section: Locator) => Promise<void> {
  return (section) => section.getByLabel('Words', { exact: true }).fill(words)
}

async function holdBack(section: Locator): Promise<void> {
  await section.getByRole('radio', { name: 'Hold the question back' }).click()
}

function inspector(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Inspector' })
}

/** Open the log and every entry of it. */
async function openWholeLog(page: Page): Promise<void> {
  const log = page.getByRole('region', { name: 'Log' })
  await log.getByRole('button', { name: 'Log' }).click()
  const entries = log.getByRole('listitem').getByRole('button')
  await entries.evaluateAll((buttons) => {
    for (const button of buttons) if (button instanceof HTMLElement) button.click()
  })
}

test('a masked e-mail address is stored nowhere, and stands nowhere in the inspector', async ({ page }) => {
  await openPlayground(page)
  await flip(page, DATA)
  await ask(page, `note that ${ADDRESS} likes engines`)
  await expectEnd(lastTurn(page))
  await expect(lastTurn(page).getByText('Noted: [email] likes engines')).toBeVisible()
  await expect(page).toHaveTitle(/^Note that \[email\] likes engines/)
  await expect(inspector(page).getByRole('button', { name: /^personal data changed/ })).toBeVisible()

  await expect.poll(() => readDatabases(page)).toContain('"type":"turn-ended"')
  const stored = await readDatabases(page)
  expect(stored).toContain('[email] likes engines')
  expect(stored).not.toContain(ADDRESS)
  await openWholeLog(page)
  await expect(inspector(page)).toContainText('"text": "note that [email] likes engines"')
  await expect(inspector(page)).not.toContainText(ADDRESS)
  expect(await page.content()).not.toContain(ADDRESS)
})

test('a question that is held back goes nowhere but back to its writer', async ({ page }) => {
  await openPlayground(page)
  await flip(page, DATA, holdBack)
  await ask(page, `Is ${ADDRESS} in the data?`)
  const held = page.getByRole('article', { name: 'Question that was held back' })
  await expect(held.getByText('Your message was held back by the check “personal data”.')).toBeVisible()
  await expect(held.getByText('an e-mail address')).toBeVisible()
  await expectEnd(held)
  await expect(question(page)).toHaveValue(`Is ${ADDRESS} in the data?`)
  await expect.poll(() => readDatabases(page)).toContain('"type":"turn-ended"')
  expect(await readDatabases(page)).not.toContain(ADDRESS)
  await expect(inspector(page).getByRole('button', { name: /^model/ })).toHaveCount(0)

  await page.reload()
  await expect(held.getByText('Your message was held back')).toBeVisible()
  await expect(held.getByText('back in the box')).toHaveCount(0)
  await inspector(page)
    .getByRole('button', { name: /^personal data blocked/ })
    .click()
  await expect(inspector(page).getByText(/pii_detected/)).toBeVisible()
  const next = await askAndWait(page, 'thanks')
  await expect(next.getByText('You are welcome.')).toBeVisible()
  await expect(page).toHaveTitle(/^Thanks/)
})

test('no character of a withheld answer is ever in the page', async ({ page }) => {
  const seen = await collectTexts(page)
  // At reading pace, so that what is not held back would be seen to grow.
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Ask your data' })).toBeVisible()
  await flip(page, WORDS, setWords('rules, guess*'))
  const turn = await askAndWait(page, UNANSWERABLE)
  await expect(turn.getByText('This answer was withheld by the check “answer words”.')).toBeVisible()
  await expect(inspector(page).getByRole('button', { name: /^answer words blocked/ })).toBeVisible()
  const passed = await askAndWait(page, 'thanks')
  await expect(passed.getByText('You are welcome.')).toBeVisible()
  const texts = await seen()
  expect(texts).toContain('You are welcome.')
  expect(texts).not.toMatch(/I cannot|I follow|understand nothing/)
})

test('the same eyes see an answer that nothing withholds', async ({ page }) => {
  const seen = await collectTexts(page)
  await openPlayground(page)
  await askAndWait(page, UNANSWERABLE)
  expect(await seen()).toMatch(/I cannot answer that: I follow/)
})

test('a withheld answer can be asked for again, and stays withheld', async ({ page }) => {
  await openPlayground(page)
  await flip(page, WORDS, setWords('rules'))
  const turn = await askAndWait(page, UNANSWERABLE)
  await expect(turn.getByRole('button', { name: 'Copy answer' })).toHaveCount(0)
  await flip(page, WORDS)
  await turn.getByRole('button', { name: 'Try again' }).click()
  await expect(turn.getByText('I cannot answer that')).toBeVisible()
  await expect(turn.getByText('This answer was withheld.')).toBeVisible()
})

test('a tool hook stands under the call it was around, and its times last', async ({ page }) => {
  await openPlayground(page)
  await flip(page, TIMES)
  await askAndWait(page, '12 % of 340')
  const timeline = inspector(page).getByRole('list', { name: 'Time line of the turn' })
  const call = timeline.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^calculate/ }) })
  const hook = timeline.getByRole('button', { name: /^tool times ran/ })
  // The very next row, under it.
  await expect(call.locator('+ li[data-under]').getByRole('button')).toHaveAccessibleName(/^tool times ran/)
  await hook.click()
  await expect(timeline.getByText('around the call (toolHooks)')).toBeVisible()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state).toContainText(/calculate1 run, \d/)

  await page.reload()
  await expect(state).toContainText(/calculate1 run, \d/)
})

test('nothing is on by default, and what is switched on stays on', async ({ page }) => {
  await openPlayground(page)
  const section = await openChecks(page)
  for (const name of [DATA, WORDS, TIMES]) await expect(section.getByRole('switch', { name })).not.toBeChecked()
  await section.getByRole('switch', { name: WORDS }).click()
  await section.getByLabel('Words', { exact: true }).fill('maybe')
  await holdBack(section)

  await page.reload()
  await openChecks(page)
  await expect(section.getByRole('switch', { name: WORDS })).toBeChecked()
  await expect(section.getByRole('switch', { name: DATA })).not.toBeChecked()
  await expect(section.getByLabel('Words', { exact: true })).toHaveValue('maybe')
  await expect(section.getByRole('radio', { name: 'Hold the question back' })).toBeChecked()
})

test('a check that is switched on in one tab holds in the others', async ({ page, context }) => {
  await openPlayground(page)
  const other = await context.newPage()
  await openPlayground(other)
  await flip(other, DATA, holdBack)

  const section = await openChecks(page)
  await expect(section.getByRole('switch', { name: DATA })).toBeChecked()
  await closeSettings(page)
  await ask(page, `Is ${ADDRESS} in the data?`)
  await expect(page.getByText('Your message was held back by the check')).toBeVisible()
})

test('axe finds nothing in checks and what they do', async ({ page }) => {
  await openPlayground(page)
  const section = await openChecks(page)
  expect(await violations(page), 'all off').toEqual([])
  for (const name of [DATA, WORDS, TIMES]) await section.getByRole('switch', { name }).click()
  await holdBack(section)
  await section.getByLabel('Words', { exact: true }).fill('rules')
  expect(await violations(page), 'all on').toEqual([])
  await closeSettings(page)

  await askAndWait(page, '12 % of 340')
  await inspector(page)
    .getByRole('button', { name: /^tool times/ })
    .click()
  await askAndWait(page, UNANSWERABLE)
  expect(await violations(page), 'withheld').toEqual([])
  await ask(page, `Is ${ADDRESS} in the data?`)
  await expectEnd(lastTurn(page))
  expect(await violations(page), 'held back').toEqual([])
})

test.describe('in a narrow window', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('checks are switched on with a thumb, and what they did fits', async ({ page }) => {
    await openPlayground(page)
    await page.getByRole('button', { name: 'Sessions', exact: true }).click()
    const section = await openChecks(page)
    await section.getByRole('switch', { name: DATA }).click()
    await holdBack(section)
    await section.getByRole('switch', { name: WORDS }).click()
    await setWords('rules')(section)
    await expect(section.getByText(/^Guardrails fail closed/)).toBeVisible()
    expect(await section.evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(0)
    await closeSettings(page)

    await askAndWait(page, UNANSWERABLE)
    await ask(page, `Is ${ADDRESS} in the data?`)
    await expect(page.getByText('Your message was held back by the check')).toBeVisible()
    const conversation = page.getByRole('region', { name: 'Conversation' })
    expect(await conversation.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0)
  })
})
