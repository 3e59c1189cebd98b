import type { Entry } from '@turnloop/core'

/** What the log is narrowed to. An empty part lets everything through. */
export interface LogFilter {
  /** Found anywhere in the JSON of an entry, whatever the case. */
  readonly text: string
  readonly type: string
  readonly turnId: string
}

/** Finds the entries of a growing log that pass a filter; each is looked at once per filter. */
export class LogSearch {
  #source: readonly Entry[] = []
  #count = 0
  #filter: LogFilter | undefined
  #found: readonly Entry[] = []

  /** Those of the first `count` entries that pass; the same list until there is another. */
  find(entries: readonly Entry[], count: number, filter: LogFilter): readonly Entry[] {
    if (entries !== this.#source || count < this.#count || !isSame(filter, this.#filter)) {
      this.#source = entries
      this.#filter = filter
      this.#count = 0
      this.#found = []
    }
    const passed: Entry[] = []
    const matches = matcherOf(filter)
    for (let index = this.#count; index < count; index += 1) {
      const entry = entries[index]
      if (entry !== undefined && matches(entry)) passed.push(entry)
    }
    this.#count = count
    if (passed.length > 0) this.#found = [...this.#found, ...passed]
    return this.#found
  }
}

function isSame(a: LogFilter, b: LogFilter | undefined): boolean {
  return a.text === b?.text && a.type === b.type && a.turnId === b.turnId
}

function matcherOf({ text, type, turnId }: LogFilter): (entry: Entry) => boolean {
  const wanted = text.trim().toLowerCase()
  return (entry) => {
    if (type !== '' && entry.type !== type) return false
    if (turnId !== '' && entry.turnId !== turnId) return false
    return wanted === '' || JSON.stringify(entry).toLowerCase().includes(wanted)
  }
}
