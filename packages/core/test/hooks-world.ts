import {
  type Agent,
  createAgent,
  createMemoryLog,
  defineHooks,
  type Entry,
  ToolRunner,
  type TurnEvent,
  type TurnResult,
} from '@turnloop/core'
import { type ManualClock, manualClock } from '@turnloop/testing'
import { makeGuard, makeListed, makeLoopHook, makeOwnHooks, makeTool, makeToolHook, type Wait } from './hooks-acts.ts'
import { type HookedTurnPlan, POINTS, type Point } from './hooks-random.ts'
import { listenersOn, settled, watchPoints } from './matrix-points.ts'
import { type Playback, playback, type Reply, reply } from './matrix-world.ts'

/** How long tools and hooks get to stop. */
export const GRACE_MS = 100

/** A call that reached its tool: what it got, and how far the log was then. */
export interface Run {
  readonly callId: string
  readonly toolName: 'look' | 'pay'
  readonly input: unknown
  readonly entries: number
  readonly isStopped: boolean
}

/** A turn that was played to its end. */
export interface Played {
  readonly plan: HookedTurnPlan
  readonly agent: Agent
  readonly model: Playback
  readonly events: readonly TurnEvent[]
  readonly entries: readonly Entry[]
  readonly runs: readonly Run[]
  /** `undefined`: it had not ended after twice the grace time. */
  readonly result: TurnResult | undefined
  /** How many requests there were, and entries, when Stop came. */
  readonly atStop: { readonly requests: number } | undefined
  /** What had happened when it ended. */
  readonly atEnd: { readonly events: number; readonly entries: number; readonly runs: number }
  readonly listeners: number
  /** Entries that an earlier run had left. */
  readonly restored: number
}

const FINE: Reply = reply('Fine.', [], 'endTurn')

/** Play a turn with hooks; `cut` is what an earlier run left of it. */
export async function playHooked(plan: HookedTurnPlan, cut: readonly Entry[] = []): Promise<Played> {
  await settled()
  const clock = manualClock()
  const [runs, events]: [Run[], TurnEvent[]] = [[], []]
  const log = createMemoryLog(clock)
  log.append(...cut)
  const model = playback()
  // What was cut has used up some of it already.
  const asked = cut.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant').length
  const script = plan.script.slice(asked)
  model.play(() => script.shift() ?? FINE)
  let isStopped = false
  const onRun = (run: Pick<Run, 'callId' | 'toolName' | 'input'>): void =>
    void runs.push({ ...run, entries: log.entries.length, isStopped })
  const agent = hookedAgent(plan, { clock, model, onRun })
  const host = new AbortController()
  const options = { signal: host.signal, onEvent: (event: TurnEvent) => void events.push(event) }
  const parts = agent.parts(log)
  const turn =
    cut.length === 0 ? new ToolRunner(parts, 'Go', options) : ToolRunner.from(parts, log.entries, options, 'Go')
  let atStop: Played['atStop']
  const stop = (): void => {
    if (atStop !== undefined || result !== undefined) return
    atStop = { requests: model.requests.length }
    isStopped = true
    host.abort('enough')
  }
  let result: TurnResult | undefined
  let atEnd = { events: 0, entries: 0, runs: 0 }
  turn.untilDone().then((end) => {
    result = end
    atEnd = { events: events.length, entries: log.entries.length, runs: runs.length }
  })
  const watch = watchPoints(
    cut.length === 0 && plan.stopAt !== undefined ? 1 + plan.stopAt : Number.POSITIVE_INFINITY,
    stop,
  )
  await settled()
  await passTime(clock, () => result !== undefined || atStop !== undefined)
  watch.stop()
  if (result === undefined) {
    stop()
    await clock.advance(2 * GRACE_MS)
  }
  const listeners = listenersOn(host.signal)
  // Whatever was left behind comes back now.
  await clock.advance(100_000)
  return {
    plan,
    agent,
    model,
    events,
    runs,
    result,
    atStop,
    atEnd,
    listeners,
    entries: log.entries,
    restored: cut.length,
  }
}

function hookedAgent(
  plan: HookedTurnPlan,
  given: { clock: ManualClock; model: Playback; onRun(run: Pick<Run, 'callId' | 'toolName' | 'input'>): void },
): Agent {
  const { clock, model, onRun } = given
  const wait: Wait = (ms) =>
    new Promise((resolve) => {
      clock.setTimer(resolve, ms)
    })
  const make = (name: 'look' | 'pay'): ReturnType<typeof makeTool> =>
    makeTool(name, plan.tools[name], {
      wait,
      hooks: makeOwnHooks(plan.own[name], wait, name),
      onRun: (callId, input) => onRun({ callId, toolName: name, input }),
    })
  const { outputMode, maxHookRetries, storeRejected, commitStateOn, backgroundHooks, toolExecution } = plan
  const hooks = defineHooks({
    ...{ outputMode, maxHookRetries, storeRejected, commitStateOn, backgroundHooks },
    preHooks: plan.pre.map((item, index) => makeListed(item, wait, 'pre', index)),
    postHooks: plan.post.map((item, index) => makeListed(item, wait, 'post', index)),
    toolHooks: plan.toolHooks.map((item, index) => makeToolHook(item, wait, `agent ${index}`)),
    toolGuardrails: plan.toolGuards.map((item, index) => makeGuard(item, wait, `tool guard ${index}`)),
    ...Object.fromEntries(POINTS.map((at) => [at, loopHooksAt(plan, at, wait)])),
  })
  return createAgent({
    ...{ clock, model, hooks, toolExecution, tools: [make('look'), make('pay')], graceMs: GRACE_MS, maxIterations: 3 },
    retry: { attempts: 1 },
    ...(plan.passthrough && { toolResultMode: 'passthrough' as const }),
  })
}

function loopHooksAt({ loop }: HookedTurnPlan, at: Point, wait: Wait): never[] {
  const replacement =
    at === 'beforeModelCall' ? { settings: { temperature: 0 } } : [{ callId: 'none', input: { n: 1 } }]
  return loop.flatMap(({ at: point, plan }, index) =>
    point === at ? [makeLoopHook(plan, wait, `${at} ${index}`, replacement)] : [],
  )
}

/** Let time pass until something is so, or nothing waits for it any more. */
async function passTime(clock: ManualClock, isEnough: () => boolean): Promise<void> {
  for (let round = 0; round < 40 && !isEnough(); round += 1) {
    const next = clock.next()
    if (next === undefined || next - clock.now() > 10_000) return
    await clock.advance(next - clock.now())
  }
}
