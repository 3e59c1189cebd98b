import type { Page, Route } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, askAndWait, lastTurn, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { chooseEndpoint, closeSettings, modelButton, openModelSettings } from './model-settings.ts'

const ADDRESS = 'http://127.0.0.1:9/v1'

const ANSWERS: readonly { case: string; title: string; answer(route: Route): Promise<void> }[] = [
  { case: 'is down', title: 'The model cannot be reached', answer: (route) => route.abort('connectionrefused') },
  {
    case: 'refuses the key',
    title: 'The key was refused',
    answer: (route) =>
      route.fulfill({
        status: 401,
        headers: { 'access-control-allow-origin': '*' },
        json: { error: { message: 'Incorrect API key provided' } },
      }),
  },
  {
    case: 'answers with a web page',
    title: 'The address answered, but not as a model',
    answer: (route) =>
      route.fulfill({
        status: 200,
        headers: { 'access-control-allow-origin': '*' },
        contentType: 'text/html',
        body: '<!doctype html><title>Welcome</title>',
      }),
  },
]

for (const { case: what, title, answer } of ANSWERS) {
  test(`an endpoint that ${what} is told with the way on, and the session goes on`, async ({ page, complaints }) => {
    complaints.expect(/Failed to load resource/)
    await page.route(`${ADDRESS}/**`, answer)
    await openPlayground(page)
    await chooseEndpoint(page, { address: ADDRESS, model: 'some-model' })
    await ask(page, '12 % of 340')

    const card = lastTurn(page).getByRole('region', { name: 'Error' })
    await expect(card.getByRole('heading', { name: title })).toBeVisible({ timeout: 20_000 })
    expect(await violations(page)).toEqual([])
    const settings = card.getByRole('button', { name: 'Model settings' })
    await settings.click()
    await page.getByRole('radio', { name: /^Practice model/ }).click()
    await closeSettings(page, settings)
    await card.getByRole('button', { name: 'Try again' }).click()
    await expect(lastTurn(page).getByText(/40\.8/).last()).toBeVisible({ timeout: 20_000 })
    await expect(card).toBeHidden()
    const next = await askAndWait(page, '5 % of 200')
    await expect(next.getByText(/\b10\b/).last()).toBeVisible()
  })
}

test('a model without a name is told where it is missing', async ({ page }) => {
  await openPlayground(page)
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^OpenAI-compatible/ }).click()
  await closeSettings(page, modelButton(page))
  await ask(page, '12 % of 340')

  await expect(lastTurn(page).getByRole('heading', { name: 'The model is not set up yet' })).toBeVisible()
})

test('a key is forgotten with the page unless it is to be remembered', async ({ page }) => {
  await openPlayground(page)
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^Anthropic/ }).click()
  const key = page.getByLabel('Key', { exact: true })
  await key.fill('secret-1')
  expect(await stored(page)).not.toContain('secret-1')
  await page.getByRole('checkbox', { name: /^Remember on this device/ }).check()
  expect(await stored(page)).toContain('secret-1')
  await page.getByRole('checkbox', { name: /^Remember on this device/ }).uncheck()
  expect(await stored(page)).not.toContain('secret-1')

  await page.reload()
  await openModelSettings(page)
  await expect(page.getByRole('radio', { name: /^Anthropic/ })).toBeChecked()
  await expect(key).toHaveValue('')
})

function stored(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify({ ...localStorage }))
}
