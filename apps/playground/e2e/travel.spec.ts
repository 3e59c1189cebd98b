import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { askAndWait, expectEnd, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('a question is edited in its place, and the version before it is kept with what followed', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await askAndWait(page, '5 % of 200')
  await edit(page, '12 % of 340', '15 % of 340')
  await expectEnd(questions(page).last())
  await expect(questions(page)).toHaveText([/15 % of 340.*2 \/ 2/s])
  await expect(
    questions(page)
      .getByText(/\b51\b/)
      .last(),
  ).toBeVisible()
  expect(await violations(page), 'a question with versions').toEqual([])

  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(questions(page)).toHaveText([/12 % of 340.*1 \/ 2/s, /5 % of 200/])
  await page.reload()
  await expect(questions(page)).toHaveText([/12 % of 340.*1 \/ 2/s, /5 % of 200/])
  await page.getByRole('button', { name: 'Later version' }).click()
  await expect(questions(page)).toHaveText([/15 % of 340/])
})

test('an answer is given again, and both are kept', async ({ page }) => {
  await openPlayground(page)
  const turn = await askAndWait(page, '12 % of 340')
  await turn.getByRole('button', { name: 'Answer again' }).click()
  await expect(questions(page)).toHaveText([/12 % of 340.*2 \/ 2/s])
  await expectEnd(questions(page).last())
  await expect(questions(page).getByText(/40\.8/).last()).toBeVisible()

  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(questions(page)).toHaveText([/12 % of 340.*1 \/ 2/s])
})

test('the conversation goes back to an answer, and what was set aside comes back', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  await askAndWait(page, '5 % of 200')
  await page.getByRole('article').first().getByRole('button', { name: 'More for this answer' }).click()
  await page.getByRole('menuitem', { name: /^Go back to here/ }).click()
  await expect(questions(page)).toHaveCount(1)
  await expect(setAside(page)).toContainText('1 later turn is set aside')
  expect(await violations(page), 'gone back').toEqual([])

  await setAside(page).getByRole('button', { name: 'Bring back' }).click()
  await expect(questions(page)).toHaveCount(2)
  await expect(setAside(page)).toHaveCount(0)
})

test('a checkpoint of the time line is gone back to, and branched from', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '12 % of 340')
  const original = page.url()
  const timeline = page.getByRole('list', { name: 'Time line of the turn' })
  await timeline.getByRole('button', { name: 'checkpoint: tools answered' }).click()
  await timeline.getByRole('button', { name: 'Go back to here' }).click()
  await expect(setAside(page)).toContainText('The rest of the answer is set aside')
  await setAside(page).getByRole('button', { name: 'Bring back' }).click()
  await expectEnd(questions(page).last())

  await timeline.getByRole('button', { name: 'Branch from here' }).click()
  await expect(page.getByRole('heading', { name: 'Branch: 12 % of 340' })).toBeVisible()
  await expect(page).not.toHaveURL(original)
  await expect(questions(page).locator('li[data-tool="calculate"]')).toHaveAttribute('data-state', 'done')
  await expect(questions(page).getByTitle('Show this turn in the inspector')).toHaveCount(0)
  await askAndWait(page, '5 % of 200')
  await page.goto(original)
  await expect(questions(page)).toHaveText([/12 % of 340/])
  await expectEnd(questions(page).last())
})

async function edit(page: Page, before: string, after: string): Promise<void> {
  const turn = page.getByRole('article', { name: `Question: ${before}`, exact: true })
  await turn.getByRole('button', { name: 'Edit question' }).click()
  const text = turn.getByRole('textbox', { name: 'Edited question' })
  await expect(text).toHaveValue(before)
  expect(await violations(page), 'a question being edited').toEqual([])
  await text.fill(after)
  await text.press('Enter')
}

function questions(page: Page) {
  return page.getByRole('article')
}

function setAside(page: Page) {
  return page.getByRole('region', { name: 'Set aside' })
}
