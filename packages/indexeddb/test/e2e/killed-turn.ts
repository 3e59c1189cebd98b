/// <reference types="node" />
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { Entry } from '@turnloop/core'
import type { Ground } from './durable-test.ts'
import { type Death, kill } from './kill.ts'
import type { Aim, Effect } from './outside-world.ts'
import type { Opening, Report } from './page/page-port.ts'

/** One turn that is killed: where, and how. */
export interface Cell {
  readonly opening: Opening
  readonly death: Death
  /** Where to stop the page first, or after how long to kill it. */
  readonly when: Aim | { readonly afterMs: number }
}

/** What is known of a turn that was killed and has gone on. */
export interface Survival {
  /** What the database held when the page was loaded again. */
  readonly found: readonly Entry[]
  readonly report: Report
  /** Up to which entry the killed page was told that its log is stored. */
  readonly acknowledged: number
  readonly effectsBefore: readonly Effect[]
  readonly effects: readonly Effect[]
}

/** How long a turn may take to end after the reload, before it counts as one that never ends. */
const LONGEST_MS = 20_000

/**
 * Begin a turn in a page, kill the page, load it again and wait until the turn has ended.
 *
 * Resolves with what came of it and with the new page, which can take the next cell.
 */
export async function killTurn(
  page: Page,
  { opening, death, when }: Cell,
  { browsing, site }: Ground,
): Promise<{ page: Page; survival: Survival }> {
  const { id } = opening
  const witness = site.world.witness(id)
  const reached = 'afterMs' in when ? undefined : witness.stopAt(when)
  await begin(page, opening)
  // Where a turn has fewer writes than that, it is killed after its end.
  await (reached === undefined ? sleep('afterMs' in when ? when.afterMs : 0) : Promise.race([reached, ended(page, id)]))
  await kill(page, death)
  witness.letGo()
  const { acknowledged } = witness
  const effectsBefore = [...witness.effects]

  const next = await browsing.visit()
  const found = await next.evaluate((again) => window.port.open(again), { id })
  const report = await settle(next, id)
  return { page: next, survival: { found, report, acknowledged, effectsBefore, effects: witness.effects } }
}

/** Open a conversation and say what starts the turn of three tools. */
export async function begin(page: Page, opening: Opening): Promise<void> {
  await page.evaluate(async (given) => {
    await window.port.open(given)
    window.port.send(given.id, 'Go')
  }, opening)
}

/** Wait until a conversation rests and all is saved that can be. */
export async function settle(page: Page, id: string): Promise<Report> {
  const isEnded = await Promise.race([ended(page, id), sleep(LONGEST_MS, false)])
  if (!isEnded) throw new Error(`The turn of ${id} has not ended within ${LONGEST_MS} ms.`)
  return page.evaluate(async (which) => {
    await window.port.flush(which)
    return window.port.ended(which)
  }, id)
}

/** Resolves when the turn has ended, with `false` if the page died first. */
function ended(page: Page, id: string): Promise<boolean> {
  return page
    .evaluate((which) => window.port.ended(which), id)
    .then(
      () => true,
      () => false,
    )
}
