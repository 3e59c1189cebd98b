import { type McpAuth, type McpToolSource, mcpTools, type OAuthOptions, oauthProvider } from '@turnloop/mcp'
import { callContext, quiet } from '../call-context.ts'

/** One scenario of the suite, and how people come back from a sign-in. */
export interface ScenarioRun {
  readonly url: string
  readonly scenario: string
  /** What the suite hands over as JSON. */
  readonly context: string
  readonly signIn: Pick<OAuthOptions, 'redirectUrl' | 'openWindow'>
}

/** Do what a scenario asks of a client: list, call everything, and sign in where that is wanted. */
export async function useServer(run: ScenarioRun): Promise<void> {
  const isGuarded = run.scenario.startsWith('auth/')
  const source = mcpTools(
    { url: run.url },
    { ...(isGuarded && { auth: authOf(run) }), elicit: async () => ({ action: 'accept', content: {} }) },
  )
  try {
    await useTools(source)
  } finally {
    await source.dispose()
  }
}

async function useTools(tools: McpToolSource): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      for (const tool of await tools.list({ signal: quiet() })) {
        const { properties = {} } = tool.inputSchema
        const names = Object.keys(properties ?? {})
        await tool.execute(Object.fromEntries(names.map((name, index) => [name, index + 2])), callContext())
      }
      return
    } catch (error) {
      if (tools.getState().status !== 'needs-auth' || tries >= 3) throw error
      await tools.signIn()
    }
  }
}

function authOf({ context, signIn }: ScenarioRun): McpAuth {
  // Written by the suite.
  const given = JSON.parse(context) as { client_id?: string; client_secret?: string }
  return oauthProvider({
    ...signIn,
    clientName: 'turnloop conformance',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(given.client_id !== undefined && { clientId: given.client_id }),
    ...(given.client_secret !== undefined && { clientSecret: given.client_secret }),
  })
}
