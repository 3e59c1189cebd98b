/** Something that can be done from the palette. */
export interface Command {
  readonly id: string
  readonly group: 'Commands' | 'Sessions'
  readonly label: string
  /** Other words that it is found by. */
  readonly keywords?: string
  /** What is said beside it: a key that does the same, or how it stands. */
  readonly hint?: string
  run(): void
}

/** How many sessions are shown: without words the last ones only. */
const MOST_FOUND = 20
const MOST_RECENT = 5

/**
 * The commands that have every word that was written, those that begin with it first; else in their own order. Sessions come
 * after all others.
 */
export function findCommands(commands: readonly Command[], search: string): Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commands.filter(({ label, keywords = '' }) => {
    const text = `${label} ${keywords}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const begins = ({ label }: Command): boolean => words[0] !== undefined && label.toLowerCase().startsWith(words[0])
  const ranked = [...found.filter(begins), ...found.filter((command) => !begins(command))]
  const sessions = ranked.filter(({ group }) => group === 'Sessions')
  return [
    ...ranked.filter(({ group }) => group !== 'Sessions'),
    ...sessions.slice(0, words.length === 0 ? MOST_RECENT : MOST_FOUND),
  ]
}
