import {
  type Agent,
  type AgentOptions,
  agentTool,
  createAgent,
  type Decision,
  type Entry,
  type PendingRequest,
  type ToolHookSet,
  ToolRunner,
  type TurnEvent,
  type TurnResult,
} from '@turnloop/core'
import { deferred, type ManualClock, manualClock } from '@turnloop/testing'
import { z } from 'zod'
import { listenersOn, settled, watchPoints } from './matrix-points.ts'
import {
  type Deed,
  type Deeds,
  deedTool,
  obedient,
  type Playback,
  playback,
  type Reply,
  slowInstructions,
  sourceOf,
  steady,
} from './matrix-world.ts'
import { startTurn } from './turn-setup.ts'

/** How long tools get to stop. */
export const GRACE_MS = 100

/** A turn that is cut in a matrix. */
export interface Scenario {
  readonly name: string
  readonly script: readonly Reply[]
  readonly options?: Partial<AgentOptions>
  /** The third tool: one that cannot be stopped, one that never comes back by itself, or an agent with the other two. */
  readonly third?: 'deaf' | 'agent'
  /**
   * The slow tool has to be allowed, which it is, and the third one too, which it is not: one after the other, each in a run
   * of its own, or while the turn runs.
   */
  readonly people?: 'one by one' | 'meanwhile'
  /** Hooks of the slow tool. */
  readonly slowHooks?: ToolHookSet
}

/** How a turn is stopped. */
export type Door = 'signal' | 'cancel' | 'leave events' | 'leave messages' | 'throw'

/** What stood when Stop came. */
export interface AtStop {
  readonly requests: number
  readonly entries: number
  readonly now: number
  readonly did: ReadonlyMap<string, Deed>
}

/** A turn that was cut at a point, or was not. */
export interface Cut {
  readonly agent: Agent
  /** Answers the next message, in plain text. */
  readonly next: Agent
  readonly model: Playback
  readonly clock: ManualClock
  readonly deeds: Deeds
  readonly events: readonly TurnEvent[]
  readonly entries: readonly Entry[]
  /** `undefined`: it had not ended after twice the grace time. */
  readonly result: TurnResult | undefined
  readonly atStop: AtStop | undefined
  /** Points until the end, or until nothing went on any more; and until each request. */
  readonly points: number
  readonly pointsAtRequest: readonly number[]
  /** What still listens: to the host's signal, and to the tool source. */
  readonly listeners: number
  /** On the turn's own signal: the runner itself. */
  readonly ownListeners: number
  readonly timers: number
  readonly turn: ToolRunner
  /** Let a deaf tool come back. */
  release(): void
}

/** Run a scenario and stop it just before its nth point, or when nothing goes on any more; never, for infinity. */
export async function cut(scenario: Scenario, nth: number, door: Door = 'signal'): Promise<Cut> {
  // Whatever is still under way elsewhere in this process would count as well.
  await settled()
  const clock = manualClock()
  const deeds: Deeds = { did: new Map(), runs: new Map() }
  const deaf = deferred<string>()
  const pointsAtRequest: number[] = []
  const model = playback(() => pointsAtRequest.push(watch.count))
  const asks = scenario.people !== undefined
  const { slowHooks: hooks } = scenario
  const slow = deedTool('slow', 'unsafe', deeds, obedient, { needsApproval: asks, ...(hooks && { hooks }) })
  const others = [deedTool('quick', 'read', deeds, () => 'done at once'), slow]
  const nested = { name: 'third', description: 'An agent', input: z.object({}), toInput: () => 'Do it.' }
  const third =
    scenario.third === 'agent'
      ? agentTool(createAgent({ model, clock, tools: others, graceMs: GRACE_MS }), nested)
      : deedTool('third', 'unsafe', deeds, scenario.third === 'deaf' ? () => deaf.promise : steady, {
          needsApproval: asks,
        })
  const source = sourceOf([...others, third])
  // A failure is told at once, unless a scenario says otherwise.
  const retry = { attempts: 1 }
  const common = { model, clock, tools: [source], graceMs: GRACE_MS, instructions: slowInstructions, retry }
  const agent = createAgent({ ...common, ...scenario.options })
  const host = new AbortController()
  const events: TurnEvent[] = []
  const onEvent = (event: TurnEvent): void => {
    events.push(event)
    if (scenario.people === 'meanwhile' && event.type === 'approval-requested')
      Promise.resolve().then(() => turn.decide(decisionOn(event)))
  }
  const { turn: first, log } = startTurn(agent, 'Go', { signal: host.signal, onEvent })
  let turn = first
  model.play(scenario.script)
  const leave = door === 'signal' ? () => host.abort('enough') : openDoor(turn, door)
  let atStop: AtStop | undefined
  const stop = (): void => {
    const { length: entries } = log.entries
    atStop = { requests: model.requests.length, entries, now: clock.now(), did: new Map(deeds.did) }
    leave()
  }
  const watch = watchPoints(nth, stop)
  if (nth === 0) stop()
  let result: TurnResult | undefined
  let points: number | undefined
  const goOn = (end: TurnResult): void => {
    const [request] = end.outcome.kind === 'awaiting' ? end.outcome.pending : []
    const next = request && end.resume?.([decisionOn(request)])
    if (next instanceof ToolRunner) {
      turn = next
      next.untilDone().then(goOn)
    } else {
      result = end
      points = watch.count
    }
  }
  turn.untilDone().then(goOn)
  await settled()
  await runClock(clock, () => result !== undefined || atStop !== undefined)
  points ??= watch.count
  watch.stop()
  if (atStop === undefined && result === undefined && Number.isFinite(nth)) stop()
  await settled()
  if (result === undefined && atStop !== undefined) await clock.advance(2 * GRACE_MS)
  return {
    next: createAgent(common),
    ...{ agent, model, clock, deeds, events, turn, result, atStop, points, pointsAtRequest },
    entries: log.entries,
    listeners: listenersOn(host.signal) + source.listeners,
    ownListeners: listenersOn(turn.signal),
    timers: clock.pending,
    release: () => deaf.resolve('done far too late'),
  }
}

/** What people say: yes to the slow one, no to the third. */
function decisionOn({ id, toolName }: Pick<PendingRequest, 'id' | 'toolName'>): Decision {
  return { id, allow: toolName === 'slow' }
}

function openDoor(turn: ToolRunner, door: Exclude<Door, 'signal'>): () => void {
  if (door === 'cancel') return () => turn.cancel('enough')
  const view: AsyncIterable<unknown> = door === 'leave messages' ? turn : turn.events()
  const reader = view[Symbol.asyncIterator]()
  const read = async (): Promise<void> => {
    while (!(await reader.next()).done);
  }
  read().catch(() => {})
  const leave = door === 'throw' ? reader.throw : reader.return
  return () => void leave?.call(reader, new Error('The body threw.')).catch(() => {})
}

/** Let time pass until something is so, or nothing waits for it any more. */
async function runClock(clock: ManualClock, isEnough: () => boolean): Promise<void> {
  for (let round = 0; round < 10 && !isEnough(); round += 1) {
    const next = clock.next()
    if (next === undefined) return
    await clock.advance(next - clock.now())
  }
}
