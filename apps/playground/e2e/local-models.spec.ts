import type { Locator, Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, expectEnd, lastTurn, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { closeSettings, openModelSettings } from './model-settings.ts'

const browserModel = (page: Page): Locator => page.getByRole('radio', { name: /^The browser’s own model/ })

test('a browser that offers no model says so, and the others can be chosen', async ({ page }) => {
  await openPlayground(page)
  await openModelSettings(page)

  await expect(browserModel(page)).toHaveAccessibleName(/offers no model on this device\.$|has no model of its own\.$/)
  await expect(browserModel(page)).toBeDisabled()
  await expect(page.getByRole('radio', { name: /^Practice model/ })).toBeChecked()
  expect(await violations(page)).toEqual([])
})

test('the browser’s own model is fetched by a click and answers with tools', async ({ page }) => {
  await page.addInitScript(`${fakeLanguageModel}; globalThis.LanguageModel = fakeLanguageModel()`)
  await openPlayground(page)
  await openModelSettings(page)
  await browserModel(page).click()
  await page.getByRole('button', { name: 'Fetch the model' }).click()
  await expect(page.getByRole('progressbar', { name: /^The browser fetches its model/ })).toHaveAttribute(
    'value',
    '0.5',
  )
  expect(await violations(page)).toEqual([])
  await page.evaluate(() => dispatchEvent(new Event('fake-model-fetched')))
  await expect(page.getByText('Ready. It answers on this device')).toBeVisible()
  await closeSettings(page)

  await ask(page, 'What is 6 times 7?')
  await expectEnd(lastTurn(page))
  await expect(lastTurn(page).locator('li[data-tool="calculate"]')).toHaveAttribute('data-state', 'done')
  await expect(lastTurn(page).getByText('It is 42.')).toBeVisible()
})

/** Runs in the page: a model that is fetched once, then calls a tool and answers. */
function fakeLanguageModel(): object {
  const replies = ['{"tool": "calculate", "input": {"expression": "6 * 7"}}', '{"answer": "It is 42."}']
  let state = 'downloadable'
  return {
    availability: async () => state,
    create: async ({ monitor }: { monitor?: (target: EventTarget) => void }) => {
      if (monitor !== undefined) {
        const target = new EventTarget()
        monitor(target)
        target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: 0.5 }))
        await new Promise((resolve) => addEventListener('fake-model-fetched', resolve))
        state = 'available'
      }
      return {
        promptStreaming: () =>
          new ReadableStream({
            start(controller) {
              controller.enqueue(replies.shift())
              controller.close()
            },
          }),
        destroy: () => {},
      }
    },
  }
}
