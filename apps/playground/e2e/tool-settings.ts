import { expect, type Locator, type Page } from '@playwright/test'

/** Open the settings of tools. */
export async function openTools(page: Page): Promise<Locator> {
  await page.getByRole('region', { name: 'Model', exact: true }).getByRole('button').click()
  await page.getByRole('tab', { name: 'Tools' }).click()
  return page.getByRole('tabpanel', { name: 'Tools' })
}

/** Back to the conversation. */
export async function closeSettings(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toHaveCount(0)
}

/** Add a server by its address; resolves with its place in the list, however it stands. */
export async function addServer(panel: Locator, url: string): Promise<Locator> {
  await panel.getByLabel('Add a server').fill(url)
  await panel.getByRole('button', { name: 'Add', exact: true }).click()
  const server = panel.getByRole('listitem').filter({ hasText: url })
  await expect(server).toBeVisible()
  return server
}
