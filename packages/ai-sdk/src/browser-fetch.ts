/**
 * `fetch` without the `user-agent` header, for the `fetch` option of an AI SDK provider.
 *
 * The provider packages set that header. Firefox and Safari send it, so the browser first asks the server whether a page
 * may; a server that lists the headers it allows then refuses the call. Chromium drops the header by itself.
 */
export const browserFetch: typeof fetch = (input, init) => {
  const given = init?.headers ?? (input instanceof Request ? input.headers : undefined)
  if (given === undefined) return fetch(input, init)
  const headers = new Headers(given)
  headers.delete('user-agent')
  return fetch(input, { ...init, headers })
}
