/** A name as SQL reads it, whatever it holds. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as SQL reads it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
