import { createAgent, openSession } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { median } from '../lib/stats.mjs'

/** As much as one append of the log takes. */
const CHUNK = 2000

const text = (/** @type {number} */ index) => `message ${index}: ${'lorem ipsum dolor sit amet '.repeat(8)}`

/** A message of the conversation: about 230 characters. @param {number} index @returns {any} */
const messageAt = (index) => ({
  id: `m${index}`,
  role: index % 2 === 0 ? 'user' : 'assistant',
  createdAt: index,
  content: [{ type: 'text', text: text(index) }],
  ...(index % 2 === 1 && { stopReason: 'endTurn' }),
})

const threadOf = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => messageAt(index))

/** The log of so many messages: each turn has a start, a question, a reply, its checkpoint and an end. @param {number} count @returns {any[]} */
function logOf(count) {
  const drafts = []
  for (let index = 0; index < count; index += 2) {
    const turnId = `t${index}`
    const turn = [
      { type: 'turn-started', agentName: 'bench', modelId: 'mock', history: true },
      { type: 'message', message: messageAt(index) },
      { type: 'message', message: messageAt(index + 1) },
      { type: 'checkpoint', position: 'reply' },
      { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 0 },
    ]
    drafts.push(...turn.map((draft) => ({ turnId, ...draft })))
  }
  return drafts.map((draft, index) => ({ sequence: index + 1, at: index, ...draft }))
}

/** What is added to a log. @param {number} last @param {...object} drafts @returns {any[]} */
const entriesAfter = (last, ...drafts) =>
  drafts.map((draft, index) => ({ sequence: last + 1 + index, at: last, turnId: 't', ...draft }))

const headOf = (/** @type {string} */ id, /** @type {number} */ lastSequence, /** @type {number} */ turns) => ({
  ...{
    id,
    title: 'Bench',
    createdAt: 0,
    updatedAt: lastSequence,
    lastSequence,
    turns,
    state: {},
    usage: {},
    queue: [],
  },
})

const store = indexedDbStore({ name: 'bench' })

const sessionOf = (/** @type {number} */ count) => `s${count}`

async function fill(/** @type {number} */ count) {
  const id = sessionOf(count)
  const log = logOf(count)
  for (let from = 0; from < log.length; from += CHUNK) await store.append(id, log.slice(from, from + CHUNK))
  await store.append(id, [], { head: headOf(id, log.length, count / 2) })
}

const agent = createAgent({
  model: {
    provider: 'mock',
    modelId: 'mock',
    stream: () => {
      throw new Error('nobody is asked here')
    },
  },
})

/** A database by hand: what the peers do, and the floor. @returns {Promise<IDBDatabase>} */
function openByHand() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('by-hand', 1)
    request.onupgradeneeded = () => {
      for (const name of ['entries', 'threads', 'claims', 'heads']) request.result.createObjectStore(name)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** One write transaction. @param {IDBDatabase} database @param {string} name @param {(store: IDBObjectStore) => void} work */
function write(database, name, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, 'readwrite', { durability: 'relaxed' })
    transaction.oncomplete = () => resolve(undefined)
    transaction.onerror = () => reject(transaction.error)
    work(transaction.objectStore(name))
    transaction.commit()
  })
}

/**
 * What a checkpoint of a session writes, without the code around it: whose turn it is to write is read first, then two
 * records are added and two written again.
 *
 * @param {IDBDatabase} database @param {{ key: string, entries: readonly any[], head: unknown }} what
 */
function writeCheckpoint(database, { key, entries, head }) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(['entries', 'claims', 'heads'], 'readwrite', { durability: 'relaxed' })
    transaction.oncomplete = () => resolve(undefined)
    transaction.onerror = () => reject(transaction.error)
    transaction.objectStore('claims').get(key).onsuccess = () => {
      for (const entry of entries) transaction.objectStore('entries').add(entry, [key, entry.sequence])
      transaction.objectStore('claims').put({ lastSequence: entries.at(-1)?.sequence, fence: 1 }, key)
      transaction.objectStore('heads').put(head, key)
      transaction.commit()
    }
  })
}

/** @param {IDBDatabase} database @param {string} key @returns {Promise<any>} */
function readThread(database, key) {
  return new Promise((resolve, reject) => {
    const request = database.transaction('threads', 'readonly').objectStore('threads').get(key)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function timed(/** @type {() => unknown} */ run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** Ways to add to a session of so many messages. @param {number} count @returns {Promise<Record<string, () => unknown>>} */
async function appendWays(count) {
  const byHand = await openByHand()
  await fill(count)
  const session = openSession({ agent, id: sessionOf(count), store })
  await session.checkpoints()
  const logged = `log${count}`
  const { fence } = await store.claim(logged)
  const log = logOf(count)
  for (let from = 0; from < log.length; from += CHUNK) await store.append(logged, log.slice(from, from + CHUNK))
  const thread = threadOf(count)
  const last = { bare: 0, checkpoint: log.length, parts: 0 }
  const next = (/** @type {keyof typeof last} */ way) => {
    const message = { type: 'message', message: messageAt(last[way]) }
    const entries = entriesAfter(last[way], message, { type: 'checkpoint', position: 'reply' })
    last[way] += 2
    return entries
  }
  return {
    bare: () =>
      write(byHand, 'entries', (entries) => {
        for (const entry of next('bare')) entries.add(entry, [count, entry.sequence])
      }),
    checkpoint: () =>
      store.append(logged, next('checkpoint'), { fence, head: headOf(logged, last.checkpoint, 1), open: null }),
    parts: () =>
      writeCheckpoint(byHand, { key: `log${count}`, entries: next('parts'), head: headOf(logged, last.parts, 1) }),
    session: () => session.addNote(text(thread.length)),
    record: () => {
      thread.push(messageAt(thread.length))
      return write(byHand, 'threads', (threads) => threads.put({ messages: thread }, 'thread'))
    },
    json: () => write(byHand, 'threads', (threads) => threads.put(JSON.stringify({ messages: thread }), 'json')),
  }
}

/** @type {Record<string, () => unknown>} */
let ways = {}

/** Get ready for a size; resolves with the names of the ways. */
export async function prepareAppends(/** @type {number} */ count) {
  ways = await appendWays(count)
  return Object.keys(ways)
}

/** Add so many, one after another; resolves with what one took, in ms. @param {{ way: string, times: number }} options */
export async function playAppends({ way, times }) {
  const ms = await timed(async () => {
    for (let time = 0; time < times; time += 1) await ways[way]?.()
  })
  return ms / times
}

/** The first ones compile, and fill the caches of the database. */
const WARM = 12

/** Medians of ways to do one thing, each in its turn, so that a busy moment hits all of them. */
async function compare(/** @type {Record<string, () => unknown>} */ ways, /** @type {number} */ rounds) {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let round = -WARM; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(ways)) {
      const ms = await timed(run)
      if (round >= 0) times[name]?.push(ms)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
}

const untilShown = (/** @type {any} */ session) =>
  new Promise((resolve) => {
    const look = () => {
      if (session.getSnapshot().messages.length === 0) return
      stop()
      resolve(undefined)
    }
    const stop = session.subscribe(look)
    look()
  })

/** Opening a session until there is something to paint. @param {{ count: number, rounds: number }} options */
export async function measureLoads({ count, rounds }) {
  const byHand = await openByHand()
  await fill(count).catch(() => {})
  await write(byHand, 'threads', (threads) => threads.put({ messages: threadOf(count) }, 'thread'))
  await write(byHand, 'threads', (threads) => threads.put(JSON.stringify({ messages: threadOf(count) }), 'json'))
  const open = async (/** @type {(session: any) => Promise<unknown>} */ until) => {
    const session = openSession({ agent, id: sessionOf(count), store })
    await until(session)
    await session.close()
  }
  return compare(
    {
      first: () => open(untilShown),
      whole: () => open((session) => session.checkpoints()),
      record: () => readThread(byHand, 'thread'),
      json: async () => JSON.parse(await readThread(byHand, 'json')),
    },
    rounds,
  )
}
