import type { Page } from '@playwright/test'
import { tinyGguf } from '../test/tiny-gguf.ts'
import { violations } from './axe.ts'
import { ask, askAndWait, askExample, ENDLESS, expectBars, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { closeSettings, openModelSettings } from './model-settings.ts'
import { startReleasedSite } from './released-site.ts'

test.use({ serviceWorkers: 'allow' })

test('without a network the page opens, goes on, and answers from its tables', async ({ page, context }) => {
  // The page is loaded twice, and fetched once more to be kept.
  test.slow()
  await openPlayground(page)
  await expectKept(page)
  await askExample(page)
  await context.setOffline(true)
  await page.reload()

  await expectBars(page, 3)
  const turn = await askAndWait(page, 'median mileage by origin')
  await expect(turn.locator('li[data-tool="query_table"]')).toHaveAttribute('data-state', 'done')
  const sum = await askAndWait(page, '12 % of 340')
  await expect(sum.getByText(/40\.8/).last()).toBeVisible()
})

test('without a network a model elsewhere is told as out of reach', async ({ page, context }) => {
  await openPlayground(page)
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^Anthropic/ }).click()
  await closeSettings(page)
  const hint = page.getByText(/^You are offline, and claude-\S+ is not on this device\./)
  await expect(hint).toBeHidden()
  await context.setOffline(true)
  await expect(hint).toBeVisible()
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Choose a model' }).click()
  await page.getByRole('radio', { name: /^Practice model/ }).click()
  await expect(hint).toBeHidden()
})

test('the engine for models from a file is there without a network once it was used', async ({ page, context }) => {
  // It is fetched, started, and started again.
  test.slow()
  await page.addInitScript('delete globalThis.showOpenFilePicker')
  await openPlayground(page)
  await expectKept(page)
  await openTinyModel(page)
  await context.setOffline(true)
  await page.reload()
  await openTinyModel(page)
})

test('a new version waits for the answer and for the person', async ({ page, baseURL }) => {
  const site = await startReleasedSite(baseURL ?? '')
  await page.goto(`${site.address}?speed=full`)
  await expectKept(page)
  await page.reload()
  await ask(page, ENDLESS)
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
  site.release()
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update())
  await expect.poll(() => isWaiting(page)).toBe(true)
  const notice = page.getByRole('region', { name: 'Notices' }).getByText('A new version is ready.')
  await expect(notice).toBeHidden()

  await page.keyboard.press('Escape')
  await expect(notice).toBeVisible()
  expect(await violations(page)).toEqual([])
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Reload' }).click()
  await reloaded
  await expect(page.getByRole('article', { name: `Question: ${ENDLESS}` })).toBeVisible()
  expect(await isWaiting(page)).toBe(false)
  await page.close()
  await site.stop()
})

/** Choose the tiny model in the settings, and wait for it. */
async function openTinyModel(page: Page): Promise<void> {
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^A model from a file/ }).click()
  const file = { name: 'tiny.gguf', mimeType: '', buffer: Buffer.from(tinyGguf()) }
  await page.getByLabel('File with a language model').setInputFiles(file)
  await expect(page.getByText('Tiny, random is ready.')).toBeVisible({ timeout: 60_000 })
}

/** Wait until the page is kept for times without a network. */
async function expectKept(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), { timeout: 60_000 })
    .toBe(true)
}

function isWaiting(page: Page): Promise<boolean> {
  return page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting != null)
}
