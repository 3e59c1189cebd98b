import { finishSignIn } from '@turnloop/mcp'
import { useServer } from './use-server.ts'

// This page is also the one that a sign-in comes back to, in a popup.
if (finishSignIn() === undefined) {
  const asked = new URLSearchParams(location.search)
  const [url = '', scenario = '', context = '{}'] = ['url', 'scenario', 'context'].map(
    (name) => asked.get(name) ?? undefined,
  )
  const redirectUrl = location.origin + location.pathname
  useServer({ url, scenario, context, signIn: { redirectUrl } }).then(
    () => tell('done'),
    (error: unknown) => tell(`failed: ${String(error)}`),
  )
}

/** To whoever drives this page. */
function tell(outcome: string): void {
  document.title = outcome
}
