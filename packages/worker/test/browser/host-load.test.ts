import { memoryTabs } from '@turnloop/testing'
import { connectSession, type DedicatedHost, type SharedHost } from '@turnloop/worker/connect'
import { describe, expect, onTestFinished, test } from 'vitest'

type Factory = () => DedicatedHost | SharedHost

interface Kind {
  readonly name: string
  readonly make: (url: string | URL, scope?: typeof globalThis) => DedicatedHost | SharedHost
}

const ALL_KINDS: readonly Kind[] = [
  { name: 'Worker', make: (url, scope = globalThis) => new scope.Worker(url, { type: 'module' }) },
  { name: 'SharedWorker', make: (url, scope = globalThis) => new scope.SharedWorker(url, { type: 'module' }) },
]
const KINDS = ALL_KINDS.filter(({ name }) => name in globalThis)

const silent = new URL('./fixtures/silent.ts', import.meta.url)
const throws = new URL('./fixtures/throws.ts', import.meta.url)
const hosting = new URL('./fixtures/hosting.ts', import.meta.url)

/** What becomes of a question to a worker. */
function asked(factory: Factory, startTimeoutMs = 10_000): Promise<unknown> {
  const host = connectSession(factory, { store: memoryTabs().open().store, startTimeoutMs })
  onTestFinished(() => host.dispose())
  return host.open('s').send('Hello?')
}

describe.each(KINDS)('with a $name', ({ make }) => {
  test('a script that is not found is a failed load', async () => {
    await expect(asked(() => make('/packages/worker/test/browser/none.js'))).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-failed-to-load',
      facts: { stage: 'load' },
    })
  })

  test('a script that throws at its top is a failed load', async () => {
    // A shared worker that throws tells its pages nothing in some browsers.
    await expect(asked(() => make(throws), 1000)).rejects.toMatchObject({ code: 'worker-failed-to-load' })
  })

  test('a script that hosts nothing fails when its time is over', async () => {
    await expect(asked(() => make(silent), 50)).rejects.toMatchObject({
      code: 'worker-failed-to-load',
      facts: { stage: 'handshake' },
      message: expect.stringContaining('hostSession()'),
    })
  })

  test('a worker that the CSP refuses is a failed load', async () => {
    const frame = document.createElement('iframe')
    onTestFinished(() => frame.remove())
    frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">`
    await new Promise((resolve) => {
      frame.addEventListener('load', resolve)
      document.body.append(frame)
    })
    // A window has the constructors of its realm.
    const scope = frame.contentWindow as unknown as typeof globalThis
    await expect(asked(() => make(hosting, scope))).rejects.toMatchObject({ code: 'worker-failed-to-load' })
  })
})

test('a worker that is ended is missed at once', async () => {
  let worker: Worker | undefined
  const host = connectSession(
    () => {
      worker = new Worker(hosting, { type: 'module' })
      return worker
    },
    { store: memoryTabs().open().store },
  )
  const session = host.open('s')
  await new Promise<void>((resolve) => {
    session.subscribe(() => {
      if (session.getSnapshot().status === 'idle') resolve()
    })
  })
  // The worker of this test has another store, so that nobody answers.
  const lost = expect(session.send('Hello?')).rejects.toMatchObject({ code: 'worker-crashed', facts: { stage: 'run' } })
  const endedAt = performance.now()
  worker?.terminate()
  await lost
  expect(performance.now() - endedAt).toBeLessThan(4000)
})
