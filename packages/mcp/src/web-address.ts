/** Whether an address is one that a browser may be sent to: http or https, and nothing that runs as this page. */
export function isWebAddress(address: string | URL): boolean {
  try {
    const { protocol } = new URL(address)
    return protocol === 'http:' || protocol === 'https:'
  } catch {
    return false
  }
}
