import { violations } from './axe.ts'
import { askAndWait, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'
import { chooseEndpoint } from './model-settings.ts'

const ADDRESS = 'http://127.0.0.1:9/v1'

/** One answer, and what it took: 1,371 tokens in, of which 800 were cached, and 122 out. */
const REPLY = [
  { id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: 'Forty.' }, finish_reason: 'stop' }] },
  {
    id: '1',
    choices: [],
    usage: {
      prompt_tokens: 1371,
      completion_tokens: 122,
      total_tokens: 1493,
      prompt_tokens_details: { cached_tokens: 800 },
    },
  },
]

test('what turns cost is told by the prices that were given, and nothing is made up', async ({ page }) => {
  // Several turns, and pages read by axe.
  test.slow()
  await page.route(`${ADDRESS}/**`, (route) =>
    route.fulfill({
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      contentType: 'text/event-stream',
      body: [...REPLY.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
    }),
  )
  await page.setViewportSize({ width: 1440, height: 900 })
  await openPlayground(page)
  const free = await askAndWait(page, '1 + 1')
  await expect(free.getByTitle('Show this turn in the inspector')).toContainText(/tokens\sin,\s.* · no\scost$/)
  await chooseEndpoint(page, { address: ADDRESS, model: 'some-model' })

  const turn = await askAndWait(page, 'How much is it?')
  const facts = turn.getByTitle('Show this turn in the inspector')
  await expect(facts).toContainText(/1,371\stokens\sin\s\(800\scached\),\s122\sout$/)
  const usage = page.getByRole('region', { name: 'Usage' })
  await expect(usage.getByRole('row', { name: /^from cache 800/ })).toBeVisible()
  await expect(usage.getByRole('row', { name: /^cost/ })).toBeHidden()

  await usage.getByRole('button', { name: 'Show costs: give prices' }).click()
  await page.getByLabel('Input', { exact: true }).fill('2')
  await page.getByLabel('Output', { exact: true }).fill('10')
  await page.getByLabel('Cached input').fill('0,5')
  expect(await violations(page), 'prices').toEqual([])
  await page.keyboard.press('Escape')

  await expect(facts).toContainText(/122\sout · \$0\.0028$/)
  await expect(usage.getByRole('row', { name: 'cost $0.0028 $0.0028' })).toBeVisible()
  expect(await violations(page), 'usage').toEqual([])
  await page.reload()
  await expect(usage.getByRole('row', { name: 'cost $0.0028 $0.0028' })).toBeVisible()
})
