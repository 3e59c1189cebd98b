import type { Activity, AssistantMessage, CallView, SessionStatus } from '@turnloop/core'
import { plural } from '../app/format.ts'
import { callDoing } from './tool-words.ts'

/** What the words are made from. */
export interface ActivityFacts {
  readonly status: SessionStatus
  readonly activity?: Activity | undefined
  readonly open?: AssistantMessage | undefined
  readonly calls: ReadonlyMap<string, CallView>
}

/** What a running turn is doing, in words. Empty when nothing runs. */
export function activityWords({ status, activity, open, calls }: ActivityFacts): string {
  if (status === 'cancelling') return 'Stopping…'
  if (status !== 'running') return ''
  if (activity?.kind === 'tools') return toolWords([...calls.values()].filter((call) => call.state === 'running'))
  if (activity?.kind === 'retry-wait') return 'The model did not answer. Trying again shortly…'
  if (activity?.kind === 'compaction') return 'Summarising earlier messages…'
  if (activity?.kind === 'model') return modelWords(open)
  return 'Getting ready…'
}

function toolWords(running: readonly CallView[]): string {
  const [first, ...others] = running
  if (first === undefined) return 'Preparing the tools…'
  if (others.length > 0) return `Running ${plural(running.length, 'tool')} at the same time…`
  const doing = callDoing(first)
  return /[.…]$/.test(doing) ? doing : `${doing}…`
}

function modelWords(open: AssistantMessage | undefined): string {
  const last = open?.content.at(-1)
  if (last?.type === 'text') return 'Writing…'
  if (last?.type === 'reasoning') return 'Thinking…'
  if (last?.type === 'tool-call') return `Preparing ${last.toolName}…`
  return 'Waiting for the model…'
}
