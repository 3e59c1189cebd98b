import type { Agent, JsonObject, PendingRequest } from '@turnloop/core'
import { exposeTools } from '@turnloop/mcp/web'
import { type Observable, observable } from '../app/observable.ts'
import { isObject } from '../chat/tool-words.ts'

/** What an agent of the browser may use: it looks at the data, works things out, keeps notes, and saves files if it may. */
const OFFERED: ReadonlySet<string> = new Set([
  'describe_table',
  'query_table',
  'calculate',
  'run_javascript',
  'find_notes',
  'save_note',
  'export_table',
])

/** The tools that are offered now, by name. */
export const offeredTools: Observable<readonly string[]> = observable<readonly string[]>([])

/** What an agent of the browser wants, until the person has decided. */
export interface OutsideRequest {
  readonly toolName: string
  readonly input: JsonObject
  decide(allow: boolean): void
}

/** Requests that wait for the person, oldest first. */
export const outsideRequests: Observable<readonly OutsideRequest[]> = observable<readonly OutsideRequest[]>([])

/** Offer the page's tools to the agent of the browser; the returned function takes them back. */
export function offerTools(agent: Agent): () => void {
  const stop = exposeTools(agent, {
    include: ({ name, source }) => source !== 'mcp' && OFFERED.has(name),
    decide: (request, { signal }) => askPerson(request, signal),
    onExposed: (names) => offeredTools.set(names),
  })
  return () => {
    stop()
    offeredTools.set([])
  }
}

async function askPerson({ toolName, input }: PendingRequest, signal: AbortSignal): Promise<{ allow: boolean }> {
  let request: OutsideRequest | undefined
  const decided = new Promise<boolean>((resolve) => {
    request = { toolName, input: isObject(input) ? input : {}, decide: resolve }
    outsideRequests.set([...outsideRequests.get(), request])
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  const allow = await decided
  outsideRequests.set(outsideRequests.get().filter((other) => other !== request))
  return { allow }
}
