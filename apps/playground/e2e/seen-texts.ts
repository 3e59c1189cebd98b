import type { Page } from '@playwright/test'

/**
 * Collect every text that is ever in the page, attributes too, from before its own code runs. Before the page is opened;
 * what was collected is lost with a reload.
 */
export async function collectTexts(page: Page): Promise<() => Promise<string>> {
  await page.addInitScript(() => {
    const seen = new Set<string>()
    const read = (node: Node): void => {
      if (node instanceof CharacterData) seen.add(node.data)
      if (node instanceof Element) for (const { value } of node.attributes) seen.add(value)
      for (const child of node.childNodes) read(child)
    }
    /** A text that grows may be in several nodes: the whole of what they stand in, as it is now. */
    const readAround = (node: Node): void => {
      const element = node instanceof Element ? node : node.parentElement
      seen.add(element?.closest('article, p, li')?.textContent ?? '')
    }
    const observer = new MutationObserver((records) => {
      for (const { target, oldValue, addedNodes, removedNodes } of records) {
        seen.add(oldValue ?? '')
        read(target)
        readAround(target)
        for (const node of [...addedNodes, ...removedNodes]) read(node)
      }
    })
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeOldValue: true,
      characterData: true,
      characterDataOldValue: true,
    })
    Object.assign(window, { seenTexts: seen })
  })
  return () =>
    page.evaluate(() => {
      // The script above has put it on the window.
      const { seenTexts } = window as unknown as { seenTexts: ReadonlySet<string> }
      return [...seenTexts].join('\n')
    })
}

/** Everything in the databases of the page, as JSON. */
export function readDatabases(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const found: unknown[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await settled(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        const records = database.transaction(store).objectStore(store)
        found.push(store, await settled(records.getAllKeys()), await settled(records.getAll()))
      }
      database.close()
    }
    return JSON.stringify(found)
  })
}
