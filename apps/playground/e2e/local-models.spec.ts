import type { Locator, Page } from '@playwright/test'
import { tinyGguf } from '../test/tiny-gguf.ts'
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

test('a model from a file runs in the page under its strict policy, and Stop ends its answer', async ({ page }) => {
  // The engine is fetched, and reads every tool's schema letter by letter.
  test.slow()
  const refused: string[] = []
  await page.exposeFunction('noteRefusal', (what: string) => refused.push(what))
  await page.addInitScript(`
    delete globalThis.showOpenFilePicker
    addEventListener('securitypolicyviolation', (event) => noteRefusal(event.effectiveDirective + ' ' + event.blockedURI))`)
  await openPlayground(page)
  await openModelSettings(page)
  await page.getByRole('radio', { name: /^A model from a file/ }).click()
  const file = page.getByLabel('File with a language model')
  const state = page.getByRole('dialog', { name: 'Settings' }).getByRole('status')
  await file.setInputFiles({ name: 'notes.gguf', mimeType: '', buffer: Buffer.from('no model') })
  await expect(state).toHaveText(
    '“notes.gguf” is not a GGUF file. Such files hold a language model and usually end in .gguf.',
  )
  expect(await violations(page)).toEqual([])
  await file.setInputFiles({ name: 'tiny.gguf', mimeType: '', buffer: Buffer.from(tinyGguf()) })
  await expect(state).toContainText('Tiny, random is ready.', { timeout: 60_000 })
  await expect(state).toContainText('tiny.gguf, 468 kB, room for 8,192 tokens')
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Room for the conversation').selectOption('32,768 tokens')
  await expect(state).toContainText('room for 32,768 tokens', { timeout: 60_000 })
  await closeSettings(page)

  await ask(page, 'Tell me a story')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expectEnd(lastTurn(page))
  await expect(lastTurn(page)).toContainText('Stopped')

  await page.reload()
  await openModelSettings(page)
  await expect(state).toContainText('tiny.gguf was open before. Choose it again: this browser keeps no hold on files.')
  expect(refused).toEqual([])
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
