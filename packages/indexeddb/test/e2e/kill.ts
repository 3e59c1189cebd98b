import type { Page } from '@playwright/test'

/** How a page comes to its end: its tab is closed, its process dies, or it goes to another address. */
export type Death = 'closed' | 'crashed' | 'left'

/** Kill a page. */
export async function kill(page: Page, death: Death): Promise<void> {
  if (death === 'crashed') {
    const crashed = page.waitForEvent('crash')
    const session = await page.context().newCDPSession(page)
    // Nobody is left to answer.
    session.send('Page.crash').catch(() => {})
    await crashed
  }
  if (death === 'left') await page.goto('about:blank')
  await page.close()
}
