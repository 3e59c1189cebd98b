import { expect, type Locator, type Page } from '@playwright/test'

/** The button that says who answers. */
export function modelButton(page: Page): Locator {
  return page.getByRole('region', { name: 'Model', exact: true }).getByRole('button')
}

/** Open the settings where the model is chosen. */
export async function openModelSettings(page: Page): Promise<void> {
  await modelButton(page).click()
}

/** Close the settings, and wait for the focus to be back where they were opened: it would take what is typed meanwhile. */
export async function closeSettings(page: Page, openedBy: Locator = modelButton(page)): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toHaveCount(0)
  await expect(openedBy).toBeFocused()
}

/** Have a server answer from now on. */
export async function chooseEndpoint(page: Page, endpoint: { address: string; model: string }): Promise<void> {
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^OpenAI-compatible/ }).click()
  await page.getByLabel('Address').fill(endpoint.address)
  await page.getByRole('textbox', { name: 'Model', exact: true }).fill(endpoint.model)
  await closeSettings(page, modelButton(page))
}
