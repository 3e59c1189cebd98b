import type { Page } from '@playwright/test'
import {
  ask,
  askAndWait,
  ENDLESS,
  EXAMPLE,
  expectEnd,
  expectRunningQuery,
  holdQueries,
  lastTurn,
  openPlayground,
  question,
} from './conversation.ts'
import { expect, test } from './fixtures.ts'

test('Escape stops the turn though the pointer rests on Stop and its tooltip is shown', async ({ page }) => {
  await openPlayground(page)
  await ask(page, ENDLESS)
  await page.getByRole('button', { name: 'Stop', exact: true }).hover()
  await expect(page.getByText('Esc', { exact: true })).toBeVisible()

  await page.keyboard.press('Escape')
  await expectEnd(lastTurn(page))
  await expect(lastTurn(page)).toContainText('Stopped.')
  await expect(page.getByText('Esc', { exact: true })).toHaveCount(0)
})

const STOPS = [
  { way: 'the Stop button', press: 'button' },
  { way: 'Escape', press: 'key' },
] as const

/**
 * Begin to watch; the answer tells the ms from the next key or click until the page says that it has stopped.
 *
 * Counted in beats of the page: a machine that is too busy to run the page makes it miss some, which is not the fault of
 * Stop.
 */
async function watchStop(page: Page): Promise<() => Promise<number>> {
  const watch = await page.evaluateHandle(() => {
    const BEAT_MS = 50
    const stopped = new Promise<number>((resolve) => {
      let beats: number | undefined
      const begin = (): void => {
        if (beats !== undefined) return
        beats = 0
        setInterval(() => {
          beats = (beats ?? 0) + 1
        }, BEAT_MS)
      }
      window.addEventListener('keydown', begin, { capture: true })
      window.addEventListener('click', begin, { capture: true })
      const observer = new MutationObserver(() => {
        const last = [...document.querySelectorAll('article')].at(-1)
        if (beats !== undefined && last?.textContent?.includes('Stopped.')) resolve(beats * BEAT_MS)
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    // In an object, or the handle would wait for it.
    return { stopped }
  })
  return () => watch.evaluate(({ stopped }) => stopped)
}

for (const { way, press } of STOPS) {
  test(`${way} settles a running tool within two seconds, and the next question is answered`, async ({ page }) => {
    await openPlayground(page)
    await ask(page, ENDLESS)
    await expect(
      lastTurn(page)
        .getByText(/Counted \d+ of 1000/)
        .first(),
    ).toBeVisible()

    const msToStop = await watchStop(page)
    if (press === 'button') await page.getByRole('button', { name: 'Stop', exact: true }).click()
    else await page.keyboard.press('Escape')
    expect(await msToStop()).toBeLessThan(2000)

    await expect(lastTurn(page).getByText(/slow_count was stopped/)).toBeVisible()
    const next = await askAndWait(page, '12 % of 340')
    await expect(next.getByText(/40\.8/).last()).toBeVisible()
  })
}

test('a question that is stopped at once is not lost', async ({ page }) => {
  await openPlayground(page)
  await question(page).fill(ENDLESS)
  // Both keys before the page draws again: nobody is faster.
  await question(page).evaluate((box) => {
    for (const key of ['Enter', 'Escape']) {
      box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    }
  })

  const asked = page.getByRole('article', { name: `Question: ${ENDLESS}` }).getByText('Stopped.')
  const isKept = async () => (await asked.isVisible()) || (await question(page).inputValue()) === ENDLESS
  await expect.poll(isKept).toBe(true)
  await expect(page.getByTestId('activity')).toHaveCount(0)
})

test('what is written while a turn runs waits, can be changed, and is sent after it', async ({ page }) => {
  await openPlayground(page)
  const letGo = await holdQueries(page)
  await page.getByRole('button', { name: EXAMPLE }).click()
  await expectRunningQuery(lastTurn(page))
  await ask(page, '10 % of 50')
  const queue = page.getByRole('list', { name: 'Queued questions' })
  await expect(queue.getByRole('listitem')).toHaveText(/10 % of 50/)

  await queue.getByRole('button', { name: 'Change' }).click()
  await queue.getByRole('textbox').fill('10 % of 70')
  await queue.getByRole('textbox').press('Enter')
  await expect(queue.getByRole('listitem')).toHaveText(/10 % of 70/)
  await expectRunningQuery(lastTurn(page))
  letGo()

  const next = page.getByRole('article', { name: 'Question: 10 % of 70' })
  await expectEnd(next)
  await expect(next.getByText('7', { exact: true }).or(next.getByText(/\b7\b/)).last()).toBeVisible()
  await expect(queue).toBeHidden()
})

test('Stop holds what is queued until it is sent or taken back', async ({ page }) => {
  await openPlayground(page)
  await ask(page, ENDLESS)
  await expect(page.getByTestId('activity')).toBeVisible()
  await ask(page, '1 + 1')
  await ask(page, '2 + 2')
  const queue = page.getByRole('list', { name: 'Queued questions' })
  const queued = (text: string) => queue.getByRole('listitem').filter({ hasText: text })
  await expect(queue.getByText('Next')).toHaveCount(2)
  await question(page).press('Escape')

  await expect(queue.getByText('Held')).toHaveCount(2)
  await queued('1 + 1').getByRole('button', { name: 'Take back' }).click()
  await expect(queued('1 + 1')).toHaveCount(0)
  await queued('2 + 2').getByRole('button', { name: 'Send now' }).click()
  const next = page.getByRole('article', { name: 'Question: 2 + 2' })
  await expectEnd(next)
  await expect(queue).toBeHidden()
  await expect(page.getByRole('article', { name: 'Question: 1 + 1' })).toHaveCount(0)
})
