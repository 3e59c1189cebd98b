/** The address of a server, or, in words, why it cannot be one. Without a scheme it is taken for https, on this machine for http. */
export function readAddress(address: string): URL | string {
  const text = address.trim()
  const isBare = /^[\w.-]+(:\d+)?(\/|$)/.test(text) && !/^https?:/i.test(text)
  const url = isBare ? `${/^(localhost|127\.)/.test(text) ? 'http' : 'https'}://${text}` : text
  if (!URL.canParse(url) || !/^https?:\/\/./i.test(url))
    return 'That is no web address. It looks like https://example.org/mcp.'
  const parsed = new URL(url)
  // It would be stored with the address, and shown with it.
  if (parsed.username !== '' || parsed.password !== '') return 'Leave the user and the password out of the address.'
  parsed.hash = ''
  return parsed
}

/** "deepwiki" for mcp.deepwiki.com, "localhost-3001" for a server of this machine; with a number where that is taken. */
export function nameFor({ hostname, port }: URL, taken: ReadonlySet<string>): string {
  const labels = hostname.split('.').filter((label) => !/^(mcp|www|api)$/.test(label))
  const isName = /[a-z]/i.test(labels.at(-1) ?? '')
  const host = isName ? (labels.at(-2) ?? labels[0] ?? 'server') : hostname
  const plain = [host, port]
    .join('-')
    .replace(/[^a-z\d]+/gi, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24)
  let name = plain || 'server'
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`
  return name
}
