import { TurnloopError } from '@turnloop/core'

/** Hosts that a page served over https may call without it. */
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/

/**
 * The address of an OpenAI-compatible endpoint, ready to have `/chat/completions` put behind it.
 *
 * A path such as `/proxy/v1` is taken as one of the page's own server. Throws `bad-option` with the repair for what
 * cannot be called: no address, another protocol than http, or http from a page that came over https.
 */
export function checkBaseUrl(baseUrl: string, pageUrl: string): string {
  const given = baseUrl.trim()
  if (given === '') throw refusal('The address of the endpoint is missing, for example http://localhost:11434/v1.')
  const url = parse(given, pageUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refusal(`The address has to begin with http:// or https://, and ${JSON.stringify(given)} does not.`)
  }
  if (new URL(pageUrl).protocol === 'https:' && url.protocol === 'http:' && !LOCAL_HOST.test(url.hostname)) {
    throw refusal(`This page came over https, so the browser refuses ${url.origin}. Use an https address.`)
  }
  if (url.username !== '' || url.password !== '') throw refusal('Put the key into its own field, not into the address.')
  if (url.search !== '' || url.hash !== '') throw refusal('The address must end with its path: no "?" or "#".')
  const path = url.pathname.replace(/\/(chat\/completions|completions|models)\/?$/, '').replace(/\/+$/, '')
  return `${url.origin}${path}`
}

function parse(given: string, pageUrl: string): URL {
  const isPath = given.startsWith('/') && !given.startsWith('//')
  try {
    // "localhost:11434" parses, as the protocol "localhost:".
    if (!isPath && !/^[a-z][a-z\d+.-]*:\/\//i.test(given)) throw new TypeError('no protocol')
    return isPath ? new URL(given, pageUrl) : new URL(given)
  } catch (cause) {
    const message = `${JSON.stringify(given)} is no address. Write it whole, for example http://localhost:11434/v1.`
    throw refusal(message, cause)
  }
}

function refusal(message: string, cause?: unknown): TurnloopError {
  return new TurnloopError('bad-option', message, { cause, facts: { field: 'baseUrl' } })
}
