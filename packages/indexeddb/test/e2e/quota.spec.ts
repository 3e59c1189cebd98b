/// <reference types="node" />
import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expect, type Ground, test } from './durable-test.ts'
import { settle } from './killed-turn.ts'
import type { Report } from './page/page-port.ts'

const QUOTA_BYTES = 1_000_000
// A disk that no other test has written to.
test.use({ disk: 'small-disk' })

/** Random, since the browser's store compresses. */
const BIG = (): string => randomBytes(75_000).toString('base64')

/** Open the page with so much room for the whole site; `undefined`: as much as there is. */
async function visitWithQuota({ browsing, site }: Ground): Promise<{ page: Page; lift(): Promise<unknown> }> {
  const page = await browsing.context.newPage()
  const session = await browsing.context.newCDPSession(page)
  // Before the database opens: later it has no effect on this page.
  await session.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: QUOTA_BYTES })
  await page.goto(site.url)
  return { page, lift: () => session.send('Storage.overrideQuotaForOrigin', { origin: site.url }) }
}

/** Say big things in a conversation until one of them is not saved; resolves with how that one went. */
async function fill(page: Page, id: string): Promise<Report> {
  for (let turn = 0; turn < 20; turn += 1) {
    const state = await sendAndWait(page, id, BIG())
    if (state !== 'ready') return settle(page, id)
  }
  throw new Error('Everything found room.')
}

/** Say something and wait until its turn has ended and its saving has succeeded or failed; resolves with the latter. */
function sendAndWait(page: Page, id: string, text: string): Promise<string> {
  return page.evaluate(
    async ([to, what]) => {
      window.port.send(to, what)
      await window.port.ended(to)
      await window.port.flush(to)
      return (await window.port.ended(to)).snapshot.storage.state
    },
    [id, text] as const,
  )
}

/** Fill the disk, look at what the page says, make room, and see all of it saved. */
async function fillAndFree(page: Page, id: string, makeRoom: () => Promise<unknown>): Promise<Report> {
  const { snapshot, warnings } = await fill(page, id)
  const shown = page.locator(`[id="${id}"]`)
  expect(snapshot.outcome?.kind).toBe('completed')
  await expect(shown.locator('.messages')).toHaveText(/pay (ok|not-run)\.$/)
  await expect(shown.locator('.storage')).toHaveText(/^full, \d+ not saved: .*no room is left/)
  expect(warnings.at(-1)).toContain('no room is left')
  await makeRoom()
  await page.evaluate((which) => window.port.flush(which), id)
  await expect(shown.locator('.storage')).toHaveText('ready, 0 not saved')
  return settle(page, id)
}

test('F1: a full disk ends no turn, and what it does not hold is saved once there is room', async ({
  browsing,
  site,
}) => {
  test.setTimeout(120_000)
  const { page, lift } = await visitWithQuota({ browsing, site })
  for (const id of ['old', 'new']) await page.evaluate((opening) => window.port.open(opening), { id })
  await sendAndWait(page, 'old', BIG() + BIG() + BIG())
  await fillAndFree(page, 'new', () => page.evaluate(() => window.port.remove('old')))
  const { entries, snapshot, warnings } = await fillAndFree(page, 'new', lift)
  expect(warnings).toHaveLength(2)
  await page.close()

  const next = await browsing.visit()
  expect(await next.evaluate(() => window.port.open({ id: 'new' }))).toEqual(entries)
  expect((await settle(next, 'new')).snapshot.messages).toEqual(snapshot.messages)
  await next.close()
  expect(browsing.complaints.splice(0)).toEqual([])
})
