import { memoryTabs, type Script } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { HOST_VERSION } from '../src/host-protocol.ts'
import { growing, type HostedPage, openHosted, until } from './hosting.ts'

const cut: Script = ({ messages }) => (messages.length > 1 ? 'And on.' : { text: 'Half', hang: 'until-abort' })
/** The first worker stops in the middle, the others go on. */
const hangsOnce = (): Script => {
  let asked = 0
  return () => {
    asked += 1
    return asked === 1 ? { text: 'Half', hang: 'until-abort' } : 'And on.'
  }
}

/** Ask something, and have the worker die in the middle of the answer. */
async function cutOff(page: HostedPage) {
  const session = page.host.open('s')
  const sent = session.send('Go')
  const settled = sent.then(
    ({ text }) => text,
    (error: unknown) => error,
  )
  await until(session, (snapshot) => growing(snapshot) === 'Half')
  page.workers.at(-1)?.crash()
  return { session, settled }
}

test('a worker that dies in mid-turn is an error of the page', async () => {
  const { session, settled } = await cutOff(openHosted({ script: cut }))
  expect(await settled).toMatchObject({ name: 'WorkerError', code: 'worker-crashed' })
  const { status, error, resumable, role, open } = session.getSnapshot()
  expect([status, error?.code, resumable, role, open]).toEqual(['idle', 'worker-crashed', true, 'driver', undefined])
})

test('after a worker has died the next command starts another, which resumes', async () => {
  const page = openHosted({ script: hangsOnce() })
  const { session, settled } = await cutOff(page)
  await settled
  expect((await session.resume()).text).toBe('And on.')
  expect([page.workers.length, session.getSnapshot().error]).toEqual([2, undefined])
})

test('where it is to be replaced, a new worker goes on by itself', async () => {
  const page = openHosted({ script: hangsOnce(), restart: true })
  await until(page.host.open('other'), ({ status }) => status === 'idle')
  await page.clock.advance(20_000)
  const { session, settled } = await cutOff(page)
  expect(await settled).toBe('And on.')
  expect([page.workers.length, session.getSnapshot().error]).toEqual([2, undefined])
})

test('what is not answered because its worker died is asked of the next', async () => {
  const page = openHosted({ restart: true, script: () => 'Said.' })
  const session = page.host.open('s')
  await session.send('Go')
  await page.clock.advance(20_000)
  page.workers[0]?.crash()
  await session.rename('Named')
  expect([session.getSnapshot().title, page.workers.length]).toEqual(['Named', 2])
})

test('a worker that dies at once is not replaced for ever', async () => {
  const page = openHosted({ script: cut, restart: true })
  const { settled } = await cutOff(page)
  expect(await settled).toMatchObject({ code: 'worker-crashed' })
  expect(page.workers.length).toBe(1)
})

test('a worker that does not answer fails to load', async () => {
  const { host, clock } = openHosted({ run: () => {} })
  const session = host.open('s')
  const code = 'worker-failed-to-load'
  const refused = expect(session.send('Go')).rejects.toMatchObject({ code, facts: { stage: 'handshake' } })
  await clock.advance(10_000)
  await refused
  expect(session.getSnapshot()).toMatchObject({ status: 'idle', error: { code: 'worker-failed-to-load' } })
})

test('a worker of another version is refused', async () => {
  const version = HOST_VERSION + 1
  const run = (port: MessagePort): void => port.postMessage({ kind: 'turnloop-host:ready', version, life: 'l' })
  const { host, workers } = openHosted({ run })
  await expect(host.open('s').send('Go')).rejects.toThrow(`speaks protocol version ${version}`)
  expect(workers[0]?.isTerminated).toBe(true)
})

test('a worker that hangs is ended, and said to have crashed', async () => {
  const page = openHosted({ script: cut })
  const session = page.host.open('s')
  session.send('Go').catch(() => {})
  await until(session, (snapshot) => growing(snapshot) === 'Half')
  page.workers[0]?.hang()
  const refused = expect(session.cancel()).rejects.toMatchObject({ code: 'worker-crashed' })
  await page.clock.advance(5000)
  await page.clock.advance(5000)
  await refused
  expect(page.workers[0]?.isTerminated).toBe(true)
})

test('a driver that hangs elsewhere is stolen from by the worker', async () => {
  const browser = memoryTabs()
  const [here, there] = [
    openHosted({ browser, script: () => 'Here.', isTimed: true }),
    openHosted({ browser, script: cut }),
  ]
  const [a, b] = [here.host.open('s'), there.host.open('s')]
  b.send('Go').catch(() => {})
  await until(a, (snapshot) => growing(snapshot) === 'Half')
  there.workers[0]?.tab.freeze()
  const sent = a.send('And you?')
  // The worker keeps what its page asks, and finds out by its own clock.
  await here.workers[0]?.clock.advance(5000)
  expect((await sent).text).toBe('Here.')
})

test('a host that was disposed of refuses what is asked', async () => {
  const { host, workers } = openHosted()
  const session = host.open('s')
  await session.send('Go')
  host.dispose()
  expect(workers[0]?.isTerminated).toBe(true)
  await expect(session.send('More')).rejects.toMatchObject({ code: 'worker-terminated' })
})
