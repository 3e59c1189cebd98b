import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { ask, askAndWait, expectEnd, lastTurn, openPlayground } from './conversation.ts'
import { startEverythingServer } from './everything-server.ts'
import { expect, test } from './fixtures.ts'
import { addServer, closeSettings, openTools } from './tool-settings.ts'

/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:65001/mcp'

function choose(page: Page, tool: string, permission: string): Promise<unknown> {
  return page.getByRole('combobox', { name: tool }).selectOption(permission)
}

test('a server is added by its address, and each of its tools runs as it is allowed to', async ({
  page,
  complaints,
}) => {
  complaints.expect(/ERR_CONNECTION_REFUSED/)
  // A server is started, and several turns are waited for.
  test.slow()
  const everything = await startEverythingServer()
  await openPlayground(page)
  const panel = await openTools(page)
  const gone = await addServer(panel, NOBODY)
  await expect(gone.getByText('Cannot be reached', { exact: true })).toBeVisible()
  await expect(gone.getByRole('button', { name: 'Try again' })).toBeVisible()
  const server = await addServer(panel, everything.url)
  await expect(server.getByRole('status')).toHaveText('Ready: mcp-servers/everything 2.0.0')
  await server.getByRole('button', { name: /^\d+ tools/ }).click()
  await expect(page.getByRole('combobox', { name: 'echo' })).toHaveValue('always')
  expect(await violations(page)).toEqual([])
  await choose(page, 'echo', 'ask')
  await choose(page, 'get-sum', 'never')
  await closeSettings(page)

  // The server that is gone keeps no turn from starting.
  await ask(page, 'call echo with {"message": "well met"}')
  const card = page.getByRole('region', { name: 'Run echo?' })
  await expect(card).toContainText('these arguments are sent there')
  await card.getByRole('button', { name: 'Allow' }).click()
  await expectEnd(lastTurn(page))
  const call = lastTurn(page).locator('li[data-tool$="_echo"]')
  await expect(call).toContainText(/echo 127-0-0-1-\d+/)
  await expect(lastTurn(page).getByText('Echo: well met')).toBeVisible()
  const refused = await askAndWait(page, 'call get-sum with {"a": 2, "b": 3}')
  await expect(refused.getByText('I was given no tool get-sum')).toBeVisible()

  // What was chosen is kept, and the server is connected again when it is wanted.
  await page.reload()
  await openTools(page)
  await server.getByRole('button', { name: /^\d+ tools · .*1 never run/ }).click()
  await choose(page, 'get-sum', 'always')
  await panel.getByRole('button', { name: /^Remove 127-0-0-1-65001/ }).click()
  await expect(gone).toHaveCount(0)
  await closeSettings(page)
  const sum = await askAndWait(page, 'call get-sum with {"a": 2, "b": 3}')
  await expect(sum.getByText('The sum of 2 and 3 is 5.')).toBeVisible()
  // Else the page would complain that it has lost the server.
  await page.close()
  await everything.stop()
})
