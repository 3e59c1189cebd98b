import type { Locator, Page } from '@playwright/test'
import { violations } from './axe.ts'
import {
  addFiles,
  ask,
  askAndWait,
  draftFiles,
  dropFile,
  ENDLESS,
  expectEnd,
  lastTurn,
  openNewSession,
  openPlayground,
  question,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { pdfFile, pngFile, textFile } from './sample-files.ts'

const SMALL = pngFile('stripes.png', { width: 320, height: 200 })
/** More than the log takes: it is stored apart. */
const LARGE = pngFile('noise.png', { width: 200, height: 200, noise: true })
const NOTES = textFile('notes.md', '# Notes\n\nThe quick brown fox\n')
const REPORT = pdfFile('report.pdf', ['Hello from a page', 'Second page'])

test('an image, a text and a PDF go with a question and are there after a reload', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  expect(LARGE.buffer.length).toBeGreaterThan(65_536)
  await openPlayground(page)
  await addFiles(page, [SMALL, LARGE, NOTES, REPORT])
  // What reads PDFs is large, and loaded with the first one.
  await expect(draftFiles(page).getByText('PDF, 2 pages')).toBeVisible({ timeout: 40_000 })
  await expectDrawn(draftFiles(page), 2)
  expect(await violations(page), 'before it is sent').toEqual([])

  const turn = await askAndWait(page, 'What do you see?')
  await expect(draftFiles(page)).toBeHidden()
  await expect(turn.getByText('report.pdf (PDF, 2 pages): 6 words in 3 lines')).toBeVisible()
  await expect(turn.getByText('stripes.png, 320 × 200, PNG')).toBeVisible()
  await expectDrawn(turn, 2)

  await page.reload()
  await expectDrawn(lastTurn(page), 2)
  await lastTurn(page)
    .getByRole('button', { name: /^Open noise\.png/ })
    .click()
  const viewer = page.getByRole('dialog', { name: 'noise.png' })
  await expect(viewer.getByText('200 × 200')).toBeVisible()
  expect(await violations(page), 'an image that is open').toEqual([])
  await page.keyboard.press('Escape')
  await expect(viewer).toBeHidden()

  await lastTurn(page)
    .getByRole('button', { name: /^Open report\.pdf/ })
    .click()
  await expect(page.getByRole('region', { name: 'Text of report.pdf' })).toHaveText('Hello from a page\n\nSecond page')
})

test('files are dropped, pasted and taken out by keyboard', async ({ page }) => {
  await openPlayground(page)
  await dropFile(page, { name: 'notes.txt', type: 'text/plain', text: 'one two three' })
  await pasteImage(page, 'image.png')
  await expect(draftFiles(page).getByRole('listitem')).toHaveCount(2)

  await draftFiles(page).getByRole('button', { name: 'Remove notes.txt' }).focus()
  await page.keyboard.press('Enter')
  await expect(draftFiles(page).getByRole('button', { name: 'Remove image.png' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(draftFiles(page)).toBeHidden()
  await expect(question(page)).toBeFocused()
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
})

test('what does not fit is named with what does', async ({ page }) => {
  await openPlayground(page)
  const many = Array.from({ length: 7 }, (_, index) => textFile(`${index}.md`, 'text'))
  await addFiles(page, [
    textFile('letter.docx', 'x'),
    { name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(6_000_000, 1) },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no image') },
    pdfFile('scan.pdf', ['', '']),
    { name: 'torn.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 torn') },
  ])
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('letter.docx cannot be read here. Save it as a PDF and attach that.')
  await expect(notice).toContainText('huge.png cannot be shown: it is damaged, or no PNG, JPEG, WebP or GIF.')
  await expect(notice).toContainText('broken.png cannot be shown: it is damaged, or no PNG, JPEG, WebP or GIF.')
  await expect(notice).toContainText('scan.pdf has no text in it, only pictures of pages.')
  await expect(notice).toContainText('torn.pdf could not be read: it is damaged, or no PDF.')
  await expect(draftFiles(page)).toBeHidden()

  await addFiles(page, [...many, textFile('8.md', 'text'), textFile('9.md', 'text')])
  await expect(notice).toHaveText('A question can have 8 files: 9.md was left out.')
  await expect(draftFiles(page).getByRole('listitem')).toHaveCount(8)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(notice).toBeHidden()
})

test('a photo that is too large goes along made smaller', async ({ page }) => {
  const photo = pngFile('beach.png', { width: 2400, height: 900, noise: true })
  expect(photo.buffer.length).toBeGreaterThan(5_000_000)
  await openPlayground(page)
  await addFiles(page, [photo])
  await expectDrawn(draftFiles(page), 1)

  const turn = await askAndWait(page, 'What do you see?')
  await turn.getByRole('button', { name: /^Open beach\.jpg/ }).click()
  await expect(page.getByRole('dialog', { name: 'beach.jpg' })).toContainText(/JPEG, .*2048 × 768/)
})

test('files of a draft are there again after looking elsewhere', async ({ page }) => {
  await openPlayground(page)
  await askAndWait(page, '1 + 1')
  await addFiles(page, [SMALL])
  await question(page).fill('Look')
  await openNewSession(page)
  await expect(draftFiles(page)).toBeHidden()

  await page.goBack()
  await expectDrawn(draftFiles(page), 1)
  await expect(question(page)).toHaveValue('Look')
})

test('an edited question keeps its files', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await openPlayground(page)
  await addFiles(page, [LARGE, NOTES])
  const turn = await askAndWait(page, 'What is it?')
  await page.reload()
  await turn.getByRole('button', { name: 'Edit question' }).click()
  await expectDrawn(page.getByRole('article'), 1)
  await page.getByRole('textbox', { name: 'Edited question' }).fill('How many words has notes.md?')
  await page.keyboard.press('Enter')

  const edited = page.getByRole('article', { name: 'Question: How many words has notes.md?' })
  await expectEnd(edited)
  await expect(edited.getByText('notes.md has 5 words in 4 lines.')).toBeVisible()
  await expectDrawn(edited, 1)
})

test('a question that waits shows its files, and takes them along', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await openPlayground(page)
  await ask(page, ENDLESS)
  await addFiles(page, [SMALL, NOTES])
  await expectDrawn(draftFiles(page), 1)
  await ask(page, 'Look at it. '.repeat(20).trim())
  const queue = page.getByRole('list', { name: 'Queued questions' })
  await expect(queue.getByRole('listitem')).toContainText('2 files')
  expect(await queue.evaluate((list) => list.scrollWidth - list.clientWidth), 'what does not fit').toBe(0)
  await queue.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'Queued question' }).fill('See')
  await page.keyboard.press('Enter')
  await expect(queue.getByText('See')).toBeVisible()

  await page.getByRole('button', { name: 'Stop' }).click()
  await queue.getByRole('button', { name: 'Send now' }).click()
  const turn = page.getByRole('article', { name: 'Question: See' })
  await expectEnd(turn)
  await expectDrawn(turn, 1)
  await expect(turn.getByRole('button', { name: /^Open notes\.md/ })).toBeVisible()
})

/** Wait for so many pictures to be drawn. */
async function expectDrawn(scope: Locator, count: number): Promise<void> {
  const drawn = (): Promise<number> =>
    scope
      .locator('img')
      .evaluateAll(
        (images) => images.filter((image) => image instanceof HTMLImageElement && image.naturalWidth > 0).length,
      )
  await expect.poll(drawn).toBe(count)
}

async function pasteImage(page: Page, name: string): Promise<void> {
  await question(page).evaluate(async (field, fileName) => {
    const canvas = new OffscreenCanvas(40, 30)
    canvas.getContext('2d')?.fillRect(0, 0, 20, 20)
    const data = new DataTransfer()
    data.items.add(new File([await canvas.convertToBlob()], fileName, { type: 'image/png' }))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, name)
}
