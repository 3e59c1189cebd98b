import { createAgent, openSession } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { median } from '../lib/stats.mjs'

/** The sizes of sessions that are measured, in messages. */
const SIZES = [100, 10_000]

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
      for (const name of ['entries', 'threads', 'claims', 'heads', 'open']) request.result.createObjectStore(name)
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
 * records are added, two written again and one deleted.
 *
 * @param {IDBDatabase} database @param {readonly any[]} entries @param {unknown} head
 */
function writeCheckpoint(database, entries, head) {
  return new Promise((resolve, reject) => {
    const names = ['entries', 'claims', 'heads', 'open']
    const transaction = database.transaction(names, 'readwrite', { durability: 'relaxed' })
    transaction.oncomplete = () => resolve(undefined)
    transaction.onerror = () => reject(transaction.error)
    transaction.objectStore('claims').get('s').onsuccess = () => {
      for (const entry of entries) transaction.objectStore('entries').add(entry, ['log', entry.sequence])
      transaction.objectStore('claims').put({ lastSequence: entries.at(-1)?.sequence, fence: 1 }, 's')
      transaction.objectStore('heads').put(head, 's')
      transaction.objectStore('open').delete('s')
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

/** Adding one message to a session, by size of the session. */
export async function measureAppends(/** @type {number} */ rounds) {
  const byHand = await openByHand()
  /** @type {Record<string, Record<string, number>>} */
  const results = {}
  let written = 0
  for (const count of SIZES) {
    await fill(count)
    const session = openSession({ agent, id: sessionOf(count), store })
    await session.checkpoints()
    const logged = `log${count}`
    const { fence } = await store.claim(logged)
    const log = logOf(count)
    for (let from = 0; from < log.length; from += CHUNK) await store.append(logged, log.slice(from, from + CHUNK))
    let sequence = log.length
    let bare = 0
    const thread = threadOf(count)
    const saved = await compare(
      {
        bare: () => {
          const entry = { sequence: bare, at: bare, type: 'message', message: messageAt(bare) }
          bare += 1
          return write(byHand, 'entries', (entries) => entries.add(entry, [count, bare]))
        },
        reply: () => {
          const entries = entriesAfter(sequence, { type: 'message', message: messageAt(sequence) })
          sequence += 1
          return store.append(logged, entries, { fence, head: headOf(logged, sequence, 1), open: null })
        },
        checkpoint: () => {
          const message = { type: 'message', message: messageAt(sequence) }
          const entries = entriesAfter(sequence, message, { type: 'checkpoint', position: 'reply' })
          sequence += 2
          return store.append(logged, entries, { fence, head: headOf(logged, sequence, 1), open: null })
        },
        parts: () => {
          const message = { type: 'message', message: messageAt(written) }
          const entries = entriesAfter(written, message, { type: 'checkpoint', position: 'reply' })
          written += 2
          return writeCheckpoint(byHand, entries, headOf(logged, written, 1))
        },
        session: () => session.addNote(text(thread.length)),
      },
      rounds,
    )
    // By themselves: what they write, and leave for the collector, would slow the others down.
    const rewritten = await compare(
      {
        record: () => {
          thread.push(messageAt(thread.length))
          return write(byHand, 'threads', (threads) => threads.put({ messages: thread }, 'thread'))
        },
        json: () => write(byHand, 'threads', (threads) => threads.put(JSON.stringify({ messages: thread }), 'json')),
      },
      count > 1000 ? Math.ceil(rounds / 2) : rounds,
    )
    results[count] = { ...saved, ...rewritten }
    await session.close()
  }
  return results
}

/** Opening a session of the larger size until there is something to paint. */
export async function measureLoads(/** @type {number} */ rounds) {
  const count = SIZES.at(-1) ?? 0
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
    Math.ceil(rounds / 3),
  )
}
