import { violations } from './axe.ts'
import { askAndWait, compact, expectBars, expectEnd, lastTurn, openPlayground } from './conversation.ts'
import { expect, test } from './fixtures.ts'

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
