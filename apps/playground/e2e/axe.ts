import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds, however minor, as one line each: of the page as it is, and of its colours in the dark. */
export async function violations(page: Page): Promise<string[]> {
  // Colours that are on their way to others are neither.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.evaluate(axe)
  const found = await run(page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.evaluate(settled)
  const dark = await run(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return [...found, ...dark.map((line) => `dark: ${line}`)]
}

/** Once two frames in a row move nothing: a colour that is inherited changes from parent to child, frame by frame. */
async function settled(): Promise<void> {
  for (let still = 0; still < 2; ) {
    await new Promise(requestAnimationFrame)
    const isMoving = document.getAnimations().some(({ playState }) => playState === 'running')
    still = isMoving ? 0 : still + 1
  }
}

function run(page: Page, rules?: string[]): Promise<string[]> {
  return page.evaluate(async (only) => {
    // The script has put axe on the window.
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      // A menu is drawn beside the page while it is open.
      rules: { region: { enabled: document.querySelector('[role="menu"]') === null } },
      ...(only && { runOnly: { type: 'rule', values: only } }),
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
    )
  }, rules)
}
