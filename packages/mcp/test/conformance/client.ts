/// <reference types="node" />
// Run by the conformance suite as `client.ts <server url>`: does what the scenario named by the environment asks of a client.
import { finishSignIn } from '@turnloop/mcp'
import { useServer } from './use-server.ts'

/** The address of a window in which a person agrees to everything at once. */
const visiting = {
  set href(page: string) {
    visit(page)
  },
  get href() {
    return ''
  },
}

function visit(page: string): void {
  const answer = fetch(page, { redirect: 'manual' })
  answer.then((response) => finishSignIn(response.headers.get('location') ?? '')).catch(fail)
}

function fail(error: unknown): void {
  console.error(error)
  process.exitCode = 1
}

await useServer({
  url: process.argv.at(-1) ?? '',
  scenario: process.env.MCP_CONFORMANCE_SCENARIO ?? '',
  context: process.env.MCP_CONFORMANCE_CONTEXT ?? '{}',
  signIn: {
    redirectUrl: 'http://localhost:3000/callback',
    openWindow: (page) => {
      if (page !== 'about:blank') visit(page)
      return { location: visiting, close: () => {} }
    },
  },
})
