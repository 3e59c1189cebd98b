import { expect, test } from 'vitest'
import { ensureEngines } from '../engines/ensure-engines.mjs'

type Machine = Parameters<typeof ensureEngines>[0]
type Engine = ReturnType<Machine['find']>[number]

const firefox: Engine = {
  name: 'firefox',
  title: 'Firefox',
  by: 'playwright',
  launch: {},
  missing: 'it is not installed',
}

/** A machine without Firefox, on which the commands work that name one of `working`. */
function machine({ working = [], ...changes }: Partial<Machine> & { working?: string[] } = {}): Machine & {
  commands: string[]
} {
  const commands: string[] = []
  let isThere = false
  return {
    commands,
    find: () => [isThere ? { ...firefox, missing: undefined } : firefox],
    start: () => Promise.resolve(),
    isRoot: true,
    hasApt: true,
    isCi: true,
    run: (command) => {
      commands.push(command.slice(command[0] === process.execPath ? 2 : 0).join(' '))
      const works = working.some((word) => command.includes(word))
      isThere ||= works && command.includes('install')
      return works
    },
    ...changes,
  }
}

test('an engine that is there is ready', async () => {
  const ours = machine({ find: () => [{ ...firefox, missing: undefined }] })
  expect(await ensureEngines(ours)).toMatchObject({ ready: [{ name: 'firefox' }], skipped: [] })
  expect(ours.commands).toEqual([])
})

test('in CI as root on Debian its packages are installed', async () => {
  const ours = machine({ working: ['apt-get'] })
  expect(await ensureEngines(ours)).toMatchObject({ ready: [{ name: 'firefox' }] })
  expect(ours.commands).toEqual(['apt-get update', 'apt-get install -y --no-install-recommends firefox-esr'])
})

test("in CI elsewhere Playwright's build is installed", async () => {
  const ours = machine({ hasApt: false, isRoot: false, working: ['install'] })
  expect(await ensureEngines(ours)).toMatchObject({ ready: [{ name: 'firefox' }] })
  expect(ours.commands).toEqual(['install firefox'])
})

test('outside CI nothing is installed, and the line names the repair', async () => {
  const ours = machine({ isCi: false })
  const { ready, skipped } = await ensureEngines(ours)
  expect([ready, ours.commands]).toEqual([[], []])
  expect(skipped).toEqual([
    expect.stringMatching(/^SKIPPED: no test runs in Firefox: it is not installed\. Get it with/),
  ])
})

test('one that does not start is skipped, with the reason', async () => {
  const start = (): Promise<void> => Promise.reject(new Error('unknown command\nand a long log'))
  const ours = machine({ find: () => [{ ...firefox, missing: undefined }], start })
  const { ready, skipped } = await ensureEngines(ours)
  expect(ready).toEqual([])
  expect(skipped[0]).toContain('it does not start (unknown command)')
})
