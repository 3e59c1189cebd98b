import type { Page } from '@playwright/test'
import { expect, type Ground, test } from './durable-test.ts'
import { KillRunner } from './kill-runner.ts'
import { begin, settle } from './killed-turn.ts'
import type { Opening, WriteFault } from './page/page-port.ts'
import { faultsOfLog, finalText } from './verdict.ts'

/** One more than the turn makes. */
const WRITES = 11
const FAULTS: readonly WriteFault[] = ['refused', 'full', 'lost', 'hangs']
const writes = Array.from({ length: WRITES }, (_, at) => at + 1)
const FOR_EVER = 1_000_000

const runner = new KillRunner('kill matrix, saves fail')
let turns = 0
test.afterAll(() => console.log(`failing saves: ${turns} turns ended\n${runner.summary}`))

for (const kind of FAULTS) {
  test(`a turn ends and says what is unsaved: every save ${kind} from any on`, async ({ browsing, site }) => {
    const page = await browsing.visit()
    const openings = writes.map((from) => openingOf({ kind, from, to: FOR_EVER }))
    for (const opening of openings) await begin(page, opening)
    // A turn may end while its last save is still on its way: that it fails is shown when it has.
    for (const opening of openings)
      await expect.poll(() => faultsOfBroken(page, opening, { browsing, site })).toEqual([])

    for (const { id } of openings) await page.evaluate((which) => window.port.mend(which), id)
    await expectAllKept(page, openings, { browsing, site })
  })

  test(`a turn ends and is saved by itself: any one save ${kind}`, async ({ browsing, site }) => {
    const page = await browsing.visit()
    const openings = writes.map((from) => openingOf({ kind, from }))
    for (const opening of openings) await begin(page, opening)
    await expectAllKept(page, openings, { browsing, site })
  })

  test(`a page killed after one save was ${kind} keeps every promise`, async ({ browsing, site }) => {
    test.setTimeout(120_000)
    for (const write of writes) {
      const { id: _, ...opening } = openingOf({ kind, from: write })
      const death = write % 2 === 0 ? 'closed' : 'crashed'
      await runner.run({ opening, death, when: { write: write + 1, side: 'before' } }, { browsing, site })
    }
    expect(runner.takeFaults()).toEqual([])
  })
}

function openingOf(fault: NonNullable<Opening['fault']>): Opening {
  turns += 1
  // Long enough for a busy machine, where nothing hangs.
  return { id: `unsaved-${turns}`, fault, ...(fault.kind === 'hangs' && { saveTimeoutMs: 1500 }) }
}

/** What is wrong with how a turn ended whose saves fail from one on. */
async function faultsOfBroken(page: Page, { id, fault }: Opening, { site }: Ground): Promise<string[]> {
  const { snapshot, problems, warnings } = await page.evaluate((which) => window.port.ended(which), id)
  const { effects, writes: made } = site.world.witness(id)
  const paid = effects.filter(({ tool }) => tool === 'pay').length
  const text = finalText(snapshot.messages)
  const shown = await page.locator(`[id="${id}"] .storage`).textContent()
  const faults = [...problems]
  const expectThat = (isTrue: boolean, what: string): void => void (isTrue || faults.push(what))
  expectThat(snapshot.outcome?.kind === 'completed', `it ended ${snapshot.outcome?.kind}`)
  expectThat(
    text.endsWith(paid === 1 ? 'pay ok.' : 'pay not-run.') && paid <= 1,
    `paid ${paid} times, and says "${text}"`,
  )
  if (made >= (fault?.from ?? 0)) {
    expectThat(!shown?.startsWith('ready') && snapshot.storage.waiting > 0, `the page shows: ${shown}`)
    expectThat(warnings.filter((warning) => warning.includes('not being saved')).length === 1, `warned: ${warnings}`)
  }
  return faults.map((what) => `${JSON.stringify(fault)}: ${what}`)
}

/** All of it gets stored, and a page that is loaded afterwards shows the same. */
async function expectAllKept(page: Page, openings: readonly Opening[], { browsing, site }: Ground): Promise<void> {
  const kept = []
  for (const { id } of openings) {
    await page.evaluate((which) => window.port.ended(which), id)
    await page.evaluate((which) => window.port.flush(which), id)
    await expect(page.locator(`[id="${id}"] .storage`)).toHaveText('ready, 0 not saved')
    const report = await settle(page, id)
    expect([report.stored, report.problems, faultsOfLog(report.stored)]).toEqual([report.entries, [], []])
    kept.push(report)
  }
  await page.close()
  const next = await browsing.visit()
  for (const [at, { id }] of openings.entries()) {
    const ran = site.world.witness(id).effects.length
    expect(await next.evaluate((which) => window.port.open({ id: which }), id)).toEqual(kept[at]?.entries)
    const { snapshot } = await settle(next, id)
    expect(snapshot.messages).toEqual(kept[at]?.snapshot.messages)
    expect(site.world.witness(id).effects).toHaveLength(ran)
  }
  await next.close()
  expect(browsing.complaints.splice(0)).toEqual([])
}
