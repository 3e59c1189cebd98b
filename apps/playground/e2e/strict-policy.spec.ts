import { askAndWait, askExample, expectBars, openPlayground } from './conversation.ts'
import { startEverythingServer } from './everything-server.ts'
import { expect, test } from './fixtures.ts'
import { addServer, closeSettings, openTools } from './tool-settings.ts'

test('SQL, a sandbox, a server and a chart work under a policy that forbids eval', async ({ page, complaints }) => {
  const refused: string[] = []
  await page.exposeFunction('noteRefusal', (directive: string) => refused.push(directive))
  await page.addInitScript(() => {
    // Bound above, which the page's types do not know.
    const note = (window as unknown as { noteRefusal(directive: string): void }).noteRefusal
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      note(`${effectiveDirective} ${blockedURI}`),
    )
  })
  // A server is started, and several turns are waited for.
  test.slow()
  const everything = await startEverythingServer()
  await openPlayground(page)
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';")
  const server = await addServer(await openTools(page), everything.url)
  await expect(server.getByRole('status')).toHaveText(/^Ready/)
  await closeSettings(page)

  await expectBars(await askExample(page), 3)
  const turn = await askAndWait(page, 'run this JavaScript: `console.log(typeof fetch); [1, 2, 3].map((n) => n * n)`')
  const code = turn.locator('li[data-tool="run_javascript"]')
  await code.getByRole('button').first().click()
  await expect(code.getByRole('region', { name: 'Code' })).toContainText('map((n) => n * n)')
  await expect(code.getByRole('region', { name: 'Console' })).toHaveText('undefined')
  // A tool with an output schema, which some validators compile with eval.
  const weather = await askAndWait(page, 'call get-structured-content with {"location": "Chicago"}')
  await expect(weather.getByText(/"temperature"/)).toBeVisible()
  expect(refused).toEqual([])

  // Whoever listened does hear.
  complaints.expect(/Content Security Policy/)
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.src = 'http://127.0.0.1:65002/elsewhere.js'
    document.head.append(script)
  })
  await expect.poll(() => refused).toEqual(['script-src-elem http://127.0.0.1:65002/elsewhere.js'])
  // Else the page would complain that it has lost the server.
  await page.close()
  await everything.stop()
})
