import {
  agentTool,
  createAgent,
  defineHooks,
  type Entry,
  type HookSet,
  MemoryStore,
  type Model,
  type ModelRequest,
  openSession,
  type Session,
  type SessionStore,
  type Tool,
  tool,
} from '@turnloop/core'
import { checkHistory, manualClock } from '@turnloop/testing'
import { z } from 'zod'
import { settled, watchPoints } from './matrix-points.ts'
import { type Reply, reply } from './matrix-world.ts'

/** What outlives every page: the disk, and what the tools did to the world, by call id and in order. */
export interface World {
  readonly disk: MemoryStore
  readonly effects: Effect[]
  readonly kind: WorldKind
  /** The calls that people have decided about, as they were told; they must not be asked again. */
  readonly decided: Set<string>
}

/**
 * How its tools run, whether two of them belong to an agent that is itself a tool, whether people are asked: every
 * payment is allowed, and no booking; and whether hooks look at every step.
 */
export type WorldKind = 'parallel' | 'sequential' | 'with an agent' | 'with people' | 'with hooks'

/** Whether people are asked. */
export function hasPeople({ kind }: Pick<World, 'kind'>): boolean {
  return kind === 'with people'
}

/** A world in which nothing has happened yet. */
export function newWorld(kind: WorldKind): World {
  return { disk: new MemoryStore(), effects: [], kind, decided: new Set() }
}

/** Something a tool did. */
export interface Effect {
  readonly toolName: string
  readonly callId: string
  readonly idempotencyKey: string
}

/** A page, and how long it lived. */
export interface Life {
  readonly session: Session
  /** Points until it died, or until nothing went on any more. */
  readonly points: number
  /** What providers would have refused. */
  readonly refused: readonly string[]
}

/** A page dies at a point: nothing of it happens any more, outside or on the disk. */
export class Mortality {
  isDead = false

  /** Do it, unless the page is dead; whoever waits for it has died as well. */
  async whileAlive<T>(go: () => T | Promise<T>): Promise<T> {
    const never = new Promise<never>(() => {})
    if (this.isDead) return never
    const value = await go()
    return this.isDead ? never : value
  }
}

/**
 * Open the session of a world in a new page, send something, and let the page die just before the nth point; for
 * infinity it lives on, and for 0 nobody counts its points either.
 */
export async function live(world: World, nth: number, input?: string): Promise<Life> {
  await settled()
  const page = new Mortality()
  const refused: string[] = []
  const clock = manualClock()
  const common = { model: mortalModel(page, refused), clock, toolExecution: executionOf(world) }
  const [look, book, pay] = mortalTools(world, page)
  const assistant = agentTool(createAgent({ ...common, tools: [book, pay] }), {
    ...{ name: 'help', description: 'An agent', input: z.object({}), toInput: () => 'Do it.' },
  })
  const agent = createAgent({
    ...common,
    tools: world.kind === 'with an agent' ? [look, assistant, pay] : [look, book, pay],
    ...(world.kind === 'with hooks' && { hooks: watchfulHooks() }),
  })
  const die = (): void => {
    page.isDead = true
  }
  const watch = nth === 0 ? undefined : watchPoints(nth, die)
  const session = openSession({ agent, store: mortalStore(world.disk, page), id: 's' })
  if (input !== undefined) session.send(input, { turnId: input }).catch(() => {})
  await settled()
  if (hasPeople(world)) await decideAll(world, session, page)
  const points = watch?.count ?? 0
  watch?.stop()
  return { session, points, refused }
}

/** Hooks that take a moment at every step, and let it pass. */
function watchfulHooks(): HookSet {
  const look = async (): Promise<void> => {
    await null
  }
  return defineHooks({
    ...{ preHooks: [look, look], postHooks: [look], beforeModelCall: look, afterModelCall: look },
    ...{ beforeToolCall: look, afterToolCall: look, afterTurn: look },
    toolHooks: [
      async (_call, next) => {
        await null
        return next()
      },
    ],
  })
}

/** Decide about all that people are asked, as long as the page lives. */
async function decideAll(world: World, session: Session, page: Mortality): Promise<void> {
  for (
    let { pending } = session.getSnapshot();
    pending.length > 0 && !page.isDead;
    { pending } = session.getSnapshot()
  ) {
    for (const { id, callId, toolName } of pending) {
      if (world.decided.has(callId)) throw new Error(`${toolName} is asked about again`)
      const deciding = toolName === 'pay' ? session.approve(id) : session.deny(id)
      deciding.then(
        () => world.decided.add(callId),
        () => {},
      )
    }
    await settled()
  }
}

/** A disk as a page sees it that can die. */
export function mortalStore(disk: MemoryStore, page: Mortality): SessionStore {
  return {
    claim: (id) => page.whileAlive(() => disk.claim(id)),
    append: async (id, entries, options) => {
      // As with a real disk, what is asked for is not there yet.
      for (let step = 0; step < 5; step += 1) await page.whileAlive(() => undefined)
      return page.whileAlive(() => disk.append(id, entries, options))
    },
    read: (id, options) => page.whileAlive(() => disk.read(id, options)),
    head: (id) => page.whileAlive(() => disk.head(id)),
    open: (id) => page.whileAlive(() => disk.open(id)),
    list: () => page.whileAlive(() => disk.list()),
    remove: (id) => page.whileAlive(() => disk.remove(id)),
  }
}

function executionOf({ kind }: World): 'parallel' | 'sequential' {
  return kind === 'sequential' ? 'sequential' : 'parallel'
}

function mortalTools(world: World, page: Mortality): [look: Tool, book: Tool, pay: Tool] {
  const make = (name: string, effect: 'read' | 'idempotent' | 'unsafe'): Tool =>
    tool({
      ...{ name, description: name, effect, ...(hasPeople(world) && name !== 'look' && { needsApproval: true }) },
      // The effect comes in the middle: before it and after it the call is under way, and nobody can tell which.
      execute: async (_input, { callId, idempotencyKey }) => {
        await null
        return page.whileAlive(async () => {
          world.effects.push({ toolName: name, callId, idempotencyKey })
          await null
          return `${name} done`
        })
      },
    })
  return [make('look', 'read'), make('book', 'idempotent'), make('pay', 'unsafe')]
}

function mortalModel(page: Mortality, refused: string[]): Model {
  return {
    ...{ provider: 'test', modelId: 'test' },
    stream(request) {
      refused.push(...checkHistory(request.messages, { request: true }).problems.map(({ message }) => message))
      const events = answer(request)
      let at = 0
      const next = () =>
        page.whileAlive(() => {
          const value = events[at]
          at += 1
          return value === undefined ? { done: true as const, value } : { done: false as const, value }
        })
      return { [Symbol.asyncIterator]: () => ({ next }) }
    },
  }
}

/** Three tools, then one more, then what became of them all: as the conversation stands, on whatever page. */
function answer({ messages, tools }: ModelRequest): Reply {
  const last = messages.at(-1)
  if (JSON.stringify(messages[0]).includes('Do it.')) {
    return last?.role === 'tool' ? reply('Helped.', [], 'endTurn') : reply('', ['book', 'pay'], 'toolUse')
  }
  if (last?.role === 'tool' && last.results.length === 3) return reply('And the rest.', ['pay'], 'toolUse')
  if (last?.role === 'tool') return reply(statuses(messages).join(', '), [], 'endTurn')
  if (JSON.stringify(last?.content).includes('Hello')) return reply('Hello again.', [], 'endTurn')
  return reply('First these.', ['look', tools.some(({ name }) => name === 'help') ? 'help' : 'book', 'pay'], 'toolUse')
}

function statuses(messages: ModelRequest['messages']): string[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ toolName, status }) => `${toolName} ${status}`) : [],
  )
}

/** What a turn says in the end that nothing interrupted. */
export function wholeText({ kind }: World): string {
  const booked = kind === 'with people' ? 'book denied' : 'book ok'
  return `look ok, ${kind === 'with an agent' ? 'help ok' : booked}, pay ok, pay ok`
}

/** The unsafe calls that were under way when a disk was left as it is. */
export function callsInFlight(entries: readonly Entry[]): string[] {
  const isSettled = new Set(entries.flatMap((entry) => (entry.type === 'tool-settled' ? [entry.callId] : [])))
  return entries.flatMap((entry) =>
    entry.type === 'tool-started' && entry.toolName === 'pay' && !isSettled.has(entry.callId) ? [entry.callId] : [],
  )
}

/** A copy of a world as it stands, on a disk of its own. */
export async function copyWorld({ disk, effects, kind, decided }: World): Promise<World> {
  const copy = new MemoryStore()
  const [entries, head, open] = await Promise.all([disk.read('s'), disk.head('s'), disk.open('s')])
  if (head !== undefined) await copy.append('s', entries, { head, ...(open && { open }) })
  return { disk: copy, effects: [...effects], kind, decided: new Set(decided) }
}

/** What tells two worlds apart, whatever ids and times they hold. */
export async function keyOf({ disk, effects, decided }: World): Promise<string> {
  const [entries, head, open] = await Promise.all([disk.read('s'), disk.head('s'), disk.open('s')])
  const calls = new Map<string, string>()
  const name = (callId: string): string => {
    if (!calls.has(callId)) calls.set(callId, `${calls.size}`)
    return calls.get(callId) ?? ''
  }
  const kinds = entries.map((entry) => {
    if (entry.type === 'message') return `${entry.message.role}${JSON.stringify(entry.message).length}`
    if (entry.type === 'tool-started') return `start ${name(entry.callId)} ${entry.attempt}`
    if (entry.type === 'approval-requested') return `ask ${name(entry.callId)}`
    if (entry.type === 'approval-decided') return `decide ${entry.allow}`
    const depth = entry.path === undefined ? '' : 'inner '
    return entry.type === 'tool-settled' ? `settle ${name(entry.callId)} ${entry.status}` : `${depth}${entry.type}`
  })
  const done = effects.map(({ toolName, callId }) => `${toolName} ${name(callId)}`)
  return JSON.stringify([kinds, head?.queue.length, open?.message.content.length, done, decided.size])
}
