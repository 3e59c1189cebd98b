import { openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { closeSettings, openTools } from './tool-settings.ts'

test.use({
  launchOptions: async ({ launchOptions }, use) => {
    await use({ ...launchOptions, args: [...(launchOptions.args ?? []), '--enable-features=WebMCP'] })
  },
})

test('an agent of the browser lists and calls what the page offers, as far as the person lets it', async ({ page }) => {
  await openPlayground(page)
  expect(await page.webmcp.tools()).toEqual([])
  const panel = await openTools(page)
  await panel.getByRole('switch', { name: /WebMCP/ }).click()
  await expect(panel.getByText(/^Offered now: .*calculate/)).toBeVisible()
  await closeSettings(page)

  const tools = await page.webmcp.tools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['query_table', 'calculate', 'export_table']))
  expect(tools.find(({ name }) => name === 'calculate')?.annotations).toMatchObject({ readOnly: true })
  expect(await page.webmcp.callTool('calculate', { expression: '6 * 7' })).toMatchObject({
    structuredContent: { value: 42 },
  })

  const saving = page.webmcp.callTool('save_note', { text: 'from outside' })
  expect(await saving).not.toHaveProperty('isError', true)
  const exporting = page.webmcp.callTool('export_table', { table: 'cars', fileName: 'cars' })
  const dialog = page.getByRole('alertdialog', { name: 'Allow export_table?' })
  await dialog.getByRole('button', { name: 'Deny' }).click()
  expect(await exporting).toMatchObject({ isError: true })

  await openTools(page)
  await panel.getByRole('switch', { name: /WebMCP/ }).click()
  await expect(panel.getByText(/^Offered now/)).toHaveCount(0)
  expect(await page.webmcp.tools()).toEqual([])
})
