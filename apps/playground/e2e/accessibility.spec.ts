import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { askAndWait, compact, expectBars, expectEnd, lastTurn, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

for (const scheme of ['light', 'dark'] as const) {
  test(`no view has a serious accessibility violation in ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await openPlayground(page)
    expect(await violations(page), 'empty').toEqual([])

    await page.getByRole('button', { name: 'Average horsepower by origin, and chart it' }).click()
    await expectEnd(lastTurn(page))
    await expectBars(page, 3)
    await lastTurn(page)
      .getByRole('button', { name: /^query_table/ })
      .click()
    expect(await violations(page), 'answered').toEqual([])

    await askAndWait(page, '12 % of 340')
    await compact(page)
    await page.getByRole('button', { name: 'Earlier messages are summarised' }).click()
    await page.getByRole('button', { name: /earlier messages$/ }).click()
    expect(await violations(page), 'compacted').toEqual([])

    await page.getByRole('region', { name: 'Model', exact: true }).getByRole('button').click()
    await page.getByRole('radio', { name: /^OpenAI-compatible/ }).click()
    expect(await violations(page), 'settings').toEqual([])
  })
}

/** What axe finds that is serious or critical, as one line each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    // The script above has put axe on the window.
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`))
  })
}
