import { messageText, type Session } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DATABASE } from './tab-agent.ts'
import {
  countRequests,
  growing,
  hasPlace,
  openTab,
  PLACES,
  type Place,
  type Tab,
  until,
  untilStored,
} from './tab-window.ts'

/** Open a session in some tabs, and wait until all of them have it. */
async function openTabs(place: Place, count: number) {
  const word = crypto.randomUUID().slice(0, 8)
  const counter = countRequests(word)
  const tabs = await Promise.all(Array.from({ length: count }, () => openTab(place)))
  const sessions = tabs.map((tab) => tab.open(word))
  await Promise.all(sessions.map(atRest))
  return { word, counter, tabs, sessions }
}

const atRest = (session: Session) => until(session, ({ status }) => status === 'idle')
const read = (id: string) => indexedDbStore({ name: DATABASE }).read(id)

function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new Error(`There is nothing at ${index}.`)
  return found
}

for (const place of PLACES) {
  if (!hasPlace(place)) console.log(`SKIPPED: this browser has no ${place}; the tab suite does not run with one.`)
}

describe.each(PLACES)('with the driver in a %s', (place) => {
  const check = test.skipIf(!hasPlace(place))

  check.each([2, 3])('%i tabs that send at once are answered one by one', async (count) => {
    const { word, counter, sessions } = await openTabs(place, count)
    for (let round = 0; round < 4; round += 1) {
      const results = await Promise.all(sessions.map((session, index) => session.send(`say ${word} ${round} ${index}`)))
      const last = (round + 1) * count
      const expected = sessions.map((_session, index) => `Said ${last - index}.`).sort()
      expect(results.map(({ text }) => text).sort()).toEqual(expected)
    }
    expect([new Set(counter.asked).size, counter.asked.length]).toEqual([4 * count, 4 * count])
    expect(counter.interleaved).toEqual([])
    const log = await read(word)
    for (const session of sessions) {
      await until(session, ({ messages, status }) => messages.length === 8 * count && status === 'idle')
      expect(session.getEntries()).toEqual(log)
    }
    // In the order in which they were sent to the driver, they were asked.
    const said = log.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'user' ? [entry.message] : [],
    )
    expect(said.map(messageText)).toEqual(counter.asked)
  })

  check('the text grows in all tabs, and Stop in one that only follows stops it', async () => {
    const { word, sessions } = await openTabs(place, 2)
    const [here, there] = [at(sessions, 0), at(sessions, 1)]
    const sent = here.send(`hold ${word}`)
    await Promise.all(sessions.map((session) => until(session, (shown) => growing(shown) === 'One two three')))
    expect(there.getSnapshot().role).toBe('follower')
    await there.cancel()
    expect((await sent).outcome.kind).toBe('cancelled')
    await Promise.all(sessions.map(atRest))
  })

  check('closing the tab that asked in mid-turn loses nothing', async () => {
    const { word, counter, tabs, sessions } = await openTabs(place, 2)
    const [here, there] = [at(sessions, 0), at(sessions, 1)]
    here.send(`hold ${word}`).catch(() => {})
    await until(there, (shown) => growing(shown) === 'One two three')
    await untilStored(word, `hold ${word}`)
    at(tabs, 0).close()
    counter.openGate(`hold ${word}`)
    const { messages } = await until(there, ({ status, messages: all }) => status === 'idle' && all.length === 2)
    expect(messages[1]).toMatchObject({ content: [{ text: 'One two three' }] })
    // Where no tab drives, none was interrupted.
    expect(counter.asked.length).toBe(place === 'shared worker' ? 1 : 2)
  })

  check('what one tab is asked is allowed in another, once', async () => {
    const { word, counter, sessions } = await openTabs(place, 2)
    const [here, there] = [at(sessions, 0), at(sessions, 1)]
    await here.send(`pay ${word}`)
    const { pending } = await until(there, ({ status }) => status === 'awaiting')
    await there.approve(at(pending, 0).id)
    const ends = await Promise.all(sessions.map(atRest))
    expect(ends.map(({ outcome }) => outcome?.kind)).toEqual(['completed', 'completed'])
    expect(counter.paid.length).toBe(1)
  })

  check('a hidden tab goes on with what it does', async () => {
    const { word, counter, tabs, sessions } = await openTabs(place, 2)
    const [here, there] = [at(sessions, 0), at(sessions, 1)]
    const sent = here.send(`hold ${word}`)
    await until(there, (shown) => growing(shown) === 'One two three')
    hide(at(tabs, 0))
    counter.openGate(`hold ${word}`)
    expect((await sent).text).toBe('One two three')
    await atRest(there)
    expect(counter.asked.length).toBe(1)
  })
})

function hide({ document: inside }: Tab): void {
  Object.defineProperty(inside, 'visibilityState', { value: 'hidden' })
  Object.defineProperty(inside, 'hidden', { value: true })
  inside.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
}

test('a tab and two workers share one session', async () => {
  const places = PLACES.filter(hasPlace)
  const word = crypto.randomUUID().slice(0, 8)
  const counter = countRequests(word)
  const sessions = (await Promise.all(places.map((place) => openTab(place)))).map((tab) => tab.open(word))
  await Promise.all(sessions.map(atRest))
  const results = await Promise.all(sessions.map((session, index) => session.send(`say ${word} ${index}`)))
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(places.map(() => 'completed'))
  expect([new Set(counter.asked).size, counter.asked.length]).toEqual([places.length, places.length])
})

test.each(['locks', 'channel'] as const)('without %s a session works in one tab, and says so', async (without) => {
  const session = (await openTab('tab', { without })).open(crypto.randomUUID())
  await atRest(session)
  const { text, outcome } = await session.send('say it')
  const { storage } = session.getSnapshot()
  expect([text, outcome.kind, storage.isUnshared]).toEqual(['Said 1.', 'completed', true])
})

test('a tab of a newer version is not held up, and the older one says why it no longer saves', async () => {
  const name = `tab-suite-${crypto.randomUUID()}`
  const session = (await openTab('tab', { name })).open('s')
  await atRest(session)
  await session.send('say it')
  const newer = await openNewer(name)
  onTestFinished(() => newer.close())
  const { outcome } = await session.send('say more')
  expect([outcome.kind, session.getSnapshot().storage.reason]).toEqual(['completed', 'newer-version'])
  const late = (await openTab('tab', { name })).open('s')
  const { storage } = await until(late, ({ status }) => status === 'idle')
  expect(storage).toMatchObject({ state: 'blocked', reason: 'newer-version' })
})

/** What a tab with a later version of the schema does first. */
function openNewer(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1000)
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
