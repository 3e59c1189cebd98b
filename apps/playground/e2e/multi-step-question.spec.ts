import {
  askAndWait,
  askExample,
  EXAMPLE,
  expectBars,
  expectEnd,
  expectRunningQuery,
  holdQueries,
  lastTurn,
  openPlayground,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('one click on an example loads the data and ends with a table and a chart from real results', async ({ page }) => {
  await openPlayground(page)
  const turn = await askExample(page)
  const table = turn.getByRole('table')
  await expect(table.getByRole('row', { name: /USA.*119/ })).toBeVisible()
  await expect(table.getByRole('row', { name: /Japan.*79\.8/ })).toBeVisible()
  const chart = turn.getByRole('figure')
  await expectBars(page, 3)
  await expect(chart.getByText('Europe', { exact: true }).first()).toBeVisible()
})

test('a call that is opened stays under the pointer, also at the end of the conversation', async ({ page }) => {
  await openPlayground(page)
  const turn = await askExample(page)
  await expectBars(page, 3)
  const line = turn.locator('li[data-tool="query_table"]').getByRole('button').first()
  await line.scrollIntoViewIfNeeded()
  const before = await line.boundingBox()

  await line.click()
  await expect(turn.getByText('Arguments').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  expect(await line.boundingBox()).toEqual(before)
})

test('a chart shows its rows and is saved as a picture that stands alone', async ({ page }) => {
  await openPlayground(page)
  await askExample(page)
  const chart = page.getByRole('figure')
  await expectBars(page, 3)

  await chart.getByRole('button', { name: '3 rows' }).click()
  await expect(chart.getByRole('row')).toHaveCount(4)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    chart.getByRole('button', { name: 'SVG' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.svg$/)
  const svg = await readDownload(download)
  expect(svg).toContain('Europe')
  expect(svg).not.toContain('var(--')
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    chart.getByRole('button', { name: 'PNG' }).click(),
  ])
  expect(picture.suggestedFilename()).toMatch(/\.png$/)
})

test('a call that is opened while it runs shows its arguments, and then its rows', async ({ page }) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: EXAMPLE }).click()
  const turn = lastTurn(page)
  await expectRunningQuery(turn)
  await turn.getByRole('button', { name: /^query_table/ }).click()
  await expect(turn.getByText(/^SELECT/).last()).toBeVisible()

  letGo()
  await expectEnd(turn)
  await expect(turn.getByRole('region', { name: 'Rows of the query' }).getByRole('row')).toHaveCount(4)
  await expect(turn.getByText(/^SELECT/).last()).toBeVisible()
})

test('a question that the practice model cannot answer gets three that it can', async ({ page }) => {
  await openPlayground(page)
  const turn = await askAndWait(page, 'Write me a poem about the sea')

  await expect(turn.getByRole('listitem')).toHaveCount(3)
})

async function readDownload(download: { createReadStream(): Promise<NodeJS.ReadableStream> }): Promise<string> {
  const stream = await download.createReadStream()
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
