import { createAgent, defineHooks, MemoryStore, type ModelRequest, openSession, type Session } from '@turnloop/core'
import { checkHistory, manualClock } from '@turnloop/testing'
import { afterAll, expect, test } from 'vitest'
import { Mortality, mortalStore } from './matrix-crash.ts'
import { faultsOfRequests } from './matrix-faults.ts'
import { settled, watchPoints, watchRejections } from './matrix-points.ts'
import { type Deeds, deedTool, playback, type Reply, reply, steady } from './matrix-world.ts'
import { logFaults } from './session-setup.ts'

type Kind = 'plain' | 'with hooks'
type Door = 'cancel' | 'crash'

const rejections = watchRejections()
let cells = 0

/** Two tools for "Go", then the words of all people that the request holds. */
function answer({ messages }: ModelRequest): Reply {
  const words = messages.flatMap(({ role, ...rest }) => (role === 'user' ? [JSON.stringify(rest)] : []))
  const said = ['Go', 'Turn left', 'Hello'].filter((word) => words.some((text) => text.includes(word)))
  const isFirst = !messages.some(({ role }) => role === 'tool')
  return isFirst ? reply('Let me see.', ['quick', 'slow'], 'toolUse') : reply(said.join(' '), [], 'endTurn')
}

const watchful = defineHooks({
  preHooks: [
    async () => {
      await null
    },
  ],
  postHooks: [
    async () => {
      await null
    },
  ],
})

/** A conversation that outlives its pages. */
function newPage(
  kind: Kind,
  disk: MemoryStore,
): { session: Session; page: Mortality; model: ReturnType<typeof playback> } {
  const page = new Mortality()
  const deeds: Deeds = { did: new Map(), runs: new Map() }
  const model = playback()
  model.play(answer)
  const tools = [deedTool('quick', 'read', deeds, () => 'done'), deedTool('slow', 'read', deeds, steady)]
  const hooks = kind === 'with hooks' && { hooks: watchful }
  const agent = createAgent({ model, clock: manualClock(), tools, ...hooks })
  return { session: openSession({ agent, store: mortalStore(disk, page), id: 's' }), page, model }
}

/** How often the log, and the stored queue, hold what was said to the turn while it ran. */
async function timesSaid(disk: MemoryStore): Promise<{ logged: number; queued: number }> {
  const log = await disk.read('s')
  const inputs = log.filter((entry) => entry.type === 'message' && entry.message.role === 'user')
  const logged = inputs.filter((entry) => JSON.stringify(entry).includes('Turn left')).length
  const queued = ((await disk.head('s'))?.queue ?? []).filter((input) => JSON.stringify(input).includes('Turn left'))
  return { logged, queued: queued.length }
}

interface Cell {
  readonly kind: Kind
  readonly door: Door
  /** The point at which it is said. */
  readonly saidAt: number
  /** The point at which the door opens. */
  readonly cutAt: number
}

/** Say something to a turn at one point, cut it at another, go on, and say what is wrong. */
async function faultsOf({ kind, door, saidAt, cutAt }: Cell): Promise<{ faults: string[]; points: number }> {
  await settled()
  cells += 1
  const disk = new MemoryStore()
  const { session, page, model } = newPage(kind, disk)
  session.send('Go', { turnId: 'go' }).catch(() => {})
  let isSaid = false
  let isHandedBack = false
  const cut = watchPoints(cutAt, () => {
    if (door === 'crash') page.isDead = true
    else session.cancel('enough').catch(() => {})
  })
  const said = watchPoints(saidAt, () => {
    isSaid = true
    session.send('Turn left', { whenBusy: 'steer', turnId: 'left' }).then(
      ({ outcome }) => {
        isHandedBack = outcome.kind === 'cancelled' && outcome.input !== undefined
      },
      () => {},
    )
  })
  await settled()
  const points = said.count
  said.stop()
  cut.stop()
  // The last points are those of this test's own waiting.
  await settled()
  const faults = [...faultsOfRequests(model)]
  if (door === 'cancel' && isSaid && !isHandedBack) faults.push(...(await faultsOfStop(session, disk)))
  const before = await timesSaid(disk)
  if (before.logged + before.queued > 1) faults.push('it is stored twice')
  // Whatever is left goes on in another page, and is asked once more there, as its sender would.
  const again = door === 'crash' ? newPage(kind, disk) : { session, model }
  await settled()
  await again.session.send('Hello')
  if (isSaid) await again.session.send('Turn left', { turnId: 'left' })
  await again.session.flush()
  const log = await disk.read('s')
  faults.push(...logFaults(log), ...faultsOfRequests(again.model))
  const after = await timesSaid(disk)
  if (isSaid && !isHandedBack && (after.logged !== 1 || after.queued !== 0))
    faults.push(`it is in the log ${after.logged} times`)
  const { problems } = checkHistory(again.session.getSnapshot().messages)
  faults.push(...problems.map(({ message }) => message))
  return { faults, points }
}

/** After Stop it is part of the turn, or waits first in the queue. */
async function faultsOfStop(session: Session, disk: MemoryStore): Promise<string[]> {
  await session.flush()
  const { logged, queued } = await timesSaid(disk)
  const shown = session.getSnapshot().queue.length
  return logged + queued === 1 && shown === queued ? [] : [`${logged} logged, ${queued} queued, ${shown} shown`]
}

test.each<[Kind, Door]>([
  ['plain', 'cancel'],
  ['with hooks', 'cancel'],
  ['plain', 'crash'],
  ['with hooks', 'crash'],
])('what is said at any point, %s, outlives %s at any point', async (kind, door) => {
  const never = Number.POSITIVE_INFINITY
  const { points } = await faultsOf({ kind, door, saidAt: never, cutAt: never })
  const found: string[] = []
  for (let saidAt = 1; saidAt <= points; saidAt += 1) {
    // At every point once, cut at one of the later ones; over all of them to near and distant ones.
    const cutAt = saidAt % 8 === 0 ? never : saidAt + 1 + ((saidAt * 37) % (points - saidAt + 20))
    for (const fault of (await faultsOf({ kind, door, saidAt, cutAt })).faults)
      found.push(`${saidAt}, ${cutAt}: ${fault}`)
  }
  expect(found).toEqual([])
})

afterAll(() => {
  rejections.stop()
  console.log(`steering matrix: ${cells} cells`)
  expect(rejections.seen).toEqual([])
})
