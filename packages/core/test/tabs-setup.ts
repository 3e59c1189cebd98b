import type { Entry, SessionStore } from '@turnloop/core'
import { type MemoryTab, type MemoryTabs, type MemoryTabsOptions, memoryTabs, type Script } from '@turnloop/testing'
import { logFaults, openPage, type Page, type PageOptions, repeat, until } from './session-setup.ts'

/** A page that shows session `s`, in a browser with others. */
export interface Tab extends Page {
  readonly tab: MemoryTab
}

/** Open session `s` in a page of a browser. */
export function openTab(tabs: MemoryTabs, script: Script = repeat, options: PageOptions = {}): Tab {
  const tab = tabs.open()
  return { ...openPage(script, { store: tab.store, ...options }), tab }
}

/** Open session `s` in some pages of a new browser, and wait until all of them have loaded it. */
export async function openTabs(
  scripts: readonly (Script | undefined)[],
  options: PageOptions & MemoryTabsOptions = {},
): Promise<{ tabs: MemoryTabs; disk: SessionStore; pages: readonly Tab[] }> {
  const { disk, loses, schedule, ...pageOptions } = options
  const tabs = memoryTabs({ ...(disk && { disk }), ...(loses && { loses }), ...(schedule && { schedule }) })
  const pages = scripts.map((script) => openTab(tabs, script, pageOptions))
  await Promise.all(pages.map(({ session }) => until(session, ({ status }) => status === 'idle')))
  return { tabs, disk: tabs.disk, pages }
}

/** The page of this number. */
export function pageOf(pages: readonly Tab[], index: number): Tab {
  const page = pages[index]
  if (page === undefined) throw new Error(`There is no page ${index}.`)
  return page
}

/** What is wrong with the stored log; nothing in a healthy test. */
export async function diskFaults(disk: SessionStore): Promise<string[]> {
  return logFaults(await disk.read('s'))
}

/** The text of the reply that grows in a page. */
export function growing({ session }: Page): string {
  return (session.getSnapshot().open?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Resolves once the log as a page shows it holds an entry of this kind. */
export async function untilEntry({ session }: Page, type: Entry['type']): Promise<void> {
  await until(session, () => session.getEntries().some((entry) => entry.type === type))
}
