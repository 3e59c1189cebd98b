import {
  type Agent,
  type AgentOptions,
  createAgent,
  type Entry,
  type ModelRequest,
  type OpenSessionOptions,
  openSession,
  type Session,
  type Snapshot,
  type Tool,
  tool,
  type UserPart,
} from '@turnloop/core'
import {
  type Deferred,
  deferred,
  type ManualClock,
  manualClock,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptStep,
  scriptedModel,
} from '@turnloop/testing'
import { outline } from './loop-setup.ts'

/** A page that shows one session. */
export interface Page {
  readonly session: Session
  readonly model: ScriptedModel
  readonly clock: ManualClock
  readonly agent: Agent
}

/** What a page is opened with: anything an agent or a session takes, and where the model's stream stops. */
export type PageOptions = Partial<Omit<AgentOptions, 'model'>> &
  Omit<OpenSessionOptions, 'agent'> &
  Pick<ScriptedModelOptions, 'beforeEvent'>

/** Open session `s` with a model that follows a script. */
export function openPage(script: Script, options: PageOptions = {}): Page {
  const { id = 's', store, resume, onUnknownOutcome, saveTimeoutMs, makeRoom, beforeEvent, ...agentOptions } = options
  const clock = manualClock()
  const model = scriptedModel(script, beforeEvent === undefined ? {} : { beforeEvent })
  const agent = createAgent({ model, clock, ...agentOptions })
  const session = openSession({
    agent,
    id,
    ...(store && { store }),
    ...(resume && { resume }),
    ...(onUnknownOutcome && { onUnknownOutcome }),
    ...(makeRoom && { makeRoom }),
    ...(saveTimeoutMs !== undefined && { saveTimeoutMs }),
  })
  return { session, model, clock, agent }
}

/** Answers each question by repeating it. */
export function repeat({ messages }: ModelRequest): ScriptStep {
  const last = messages.findLast(({ role }) => role === 'user')
  return `You said ${last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '?'}`
}

/** A page whose first reply waits until its gate is opened; later ones repeat the question. */
export function openGated(options: PageOptions = {}): Page & { readonly gate: Deferred<void> } {
  const gate = deferred()
  const first = { text: 'First.', gate: gate.promise }
  return { ...openPage((request, index) => (index === 0 ? first : repeat(request)), options), gate }
}

/** Content of one text. */
export function text(content: string): UserPart[] {
  return [{ type: 'text', text: content }]
}

/** Resolves once the model of a page has been asked. */
export async function untilAsked(session: Session): Promise<void> {
  await until(session, ({ activity }) => activity?.kind === 'model')
}

/** Resolves with the first snapshot, this one included, that passes. */
export function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  return new Promise((resolve) => {
    let stop = (): void => {}
    const look = (): void => {
      const snapshot = session.getSnapshot()
      if (!passes(snapshot)) return
      stop()
      resolve(snapshot)
    }
    stop = session.subscribe(look)
    look()
  })
}

/** Resolves when nothing goes on any more. */
export function untilIdle(session: Session): Promise<Snapshot> {
  return until(session, ({ status }) => status === 'idle')
}

/** The statuses that listeners see from now on, each change once; the first is the present one. */
export function watchStatus(session: Session): string[] {
  const seen: string[] = [session.getSnapshot().status]
  session.subscribe(() => {
    const { status } = session.getSnapshot()
    if (status !== seen.at(-1)) seen.push(status)
  })
  return seen
}

/** The transcript, one word or line per message. */
export function shown(session: Session): string[] {
  return outline(session.getSnapshot().messages)
}

/** What waits, as text. */
export function waiting(snapshot: Snapshot): string[] {
  return snapshot.queue.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : '?'))
}

/** The kinds of a log's entries, in order. */
export function kinds(entries: readonly Entry[]): string[] {
  return entries.map(({ type }) => type)
}

/** What is wrong with a log as a log: gaps, turns without exactly one start and end, entries after the end. */
export function logFaults(entries: readonly Entry[]): string[] {
  const faults: string[] = []
  const ended = new Set<string>()
  const started = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const turn = entry.turnId ?? ''
    if (entry.sequence !== index + 1) faults.push(`entry ${index + 1} has sequence ${entry.sequence}`)
    if (entry.type === 'turn-started' && started.has(turn)) faults.push(`${turn} starts twice`)
    if (entry.type === 'turn-started') started.add(turn)
    if (entry.turnId !== undefined && ended.has(turn) && !('late' in entry)) faults.push(`${entry.type} after the end`)
    if (entry.type === 'turn-ended') ended.add(turn)
  }
  return faults
}

/** A tool that has effects: what it did, by idempotency key, outlives every page. */
export function effectTool(name: string, effect: 'read' | 'idempotent' | 'unsafe'): { tool: Tool; runs: string[] } {
  const runs: string[] = []
  const execute = (_input: unknown, { callId }: { callId: string }): string => {
    runs.push(callId)
    return `${name} done`
  }
  return { runs, tool: tool({ name, description: name, effect, execute }) }
}
