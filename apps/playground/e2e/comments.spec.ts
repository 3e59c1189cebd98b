import { violations } from './axe.ts'
import { askAndWait, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('a comment stands where it was written, stays after a reload, and is erased', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await openPlayground(page)
  const turn = await askAndWait(page, '12 % of 340')
  await page.getByRole('button', { name: 'Conversation menu' }).click()
  await page.getByRole('menuitem', { name: /^Add a comment/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a comment' })
  await expect(dialog.getByRole('button', { name: 'Add' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('Checked by hand.\nIt is right.')
  expect(await violations(page), 'a comment that is written').toEqual([])
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toBeHidden()

  const comments = turn.getByRole('list', { name: 'Comments' })
  await expect(comments).toContainText('Checked by hand. It is right.')
  await askAndWait(page, '5 % of 200')
  await page.reload()
  await expect(comments).toContainText('Checked by hand. It is right.')
  expect(await violations(page), 'a comment that stands').toEqual([])

  await comments.getByRole('listitem').hover()
  await comments.getByRole('button', { name: 'Erase comment' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click()
  await expect(comments).toHaveText('Comment erased')
})
