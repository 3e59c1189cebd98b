import { violations } from './axe.ts'
import { askAndWait, dropFile, expectEnd, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

const SALES = 'region,product,amount\nNorth,Tea,120\nNorth,Coffee,80\nSouth,Tea,40\nSouth,Coffee,260\n'

test('a dropped CSV is queried', async ({ page }) => {
  await openPlayground(page)
  await dropFile(page, { name: 'sales.csv', type: 'text/csv', text: SALES })
  await expect(page.getByRole('region', { name: 'Data', exact: true }).getByText('4 × 3')).toBeVisible()

  const turn = await askAndWait(page, 'total amount by region')
  await expect(turn.getByRole('row', { name: /South.*300/ })).toBeVisible()
  await expect(turn.getByRole('row', { name: /North.*200/ })).toBeVisible()
})

test('a question without data is answered from a data set that is picked, by one click', async ({ page }) => {
  await openPlayground(page)
  const turn = await askAndWait(page, 'average horsepower by origin')
  await expect(turn.getByText('There is no table yet.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Cars' }).click()
  await expect(turn.getByRole('row', { name: /Japan.*79\.8/ })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Answer it from' })).toBeHidden()
})

test('a file that is picked is described on request', async ({ page }) => {
  await openPlayground(page)
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add files' }).click()
  await (await chosen).setFiles({ name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from(SALES) })

  await expect(page.getByText('is ready: 4 rows, 3 columns.')).toBeVisible()
  await page.getByRole('button', { name: 'Describe it' }).click()
  const turn = page.getByRole('article').last()
  await expectEnd(turn)
  await expect(turn.getByText(/amount/).last()).toBeVisible()
})

test('a file that is no table is named with what is wrong, and the conversation stays usable', async ({ page }) => {
  await openPlayground(page)
  await dropFile(page, {
    name: 'page.csv',
    type: 'text/csv',
    text: '<!doctype html><html><body>Not found</body></html>',
  })

  await expect(page.getByRole('alert').filter({ hasText: 'page.csv' })).toContainText('web page')
  const turn = await askAndWait(page, '12 % of 340')
  await expect(turn.getByText(/40\.8/).last()).toBeVisible()
})

test('a file of 100 MB is refused with its size and the limit', async ({ page }) => {
  await openPlayground(page)
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(100 * 1024 * 1024)], 'huge.csv', { type: 'text/csv' }))
    return data
  })
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })

  await expect(page.getByRole('alert').filter({ hasText: 'huge.csv' })).toContainText(/100 MB.*50 MB/)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'huge.csv' })).toBeHidden()
})
