import { question } from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('the server that npm start runs shows the playground', async ({ page }) => {
  await page.goto('/')
  // The first load of all bundles the dependencies.
  await expect(question(page)).toBeVisible({ timeout: 50_000 })
})
