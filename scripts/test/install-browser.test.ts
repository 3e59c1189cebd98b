import { describe, expect, test } from 'vitest'
import { ensureBrowser } from '../install-browser.mjs'

type Machine = Parameters<typeof ensureBrowser>[0]

/** A machine without a browser on which every command fails, but for what the test says. */
function machine(changes: Partial<Machine> = {}): Machine & { commands: string[] } {
  const commands: string[] = []
  const { run = () => false, ...others } = changes
  return {
    commands,
    find: () => undefined,
    launch: () => Promise.resolve('156.0'),
    isRoot: true,
    hasApt: true,
    ...others,
    run: (command) => {
      commands.push(command.slice(command[0] === process.execPath ? 2 : 0).join(' '))
      return run(command)
    },
  }
}

/** A machine on which a command that names `word` succeeds, and the last of them brings a browser. */
function installing(words: string[], browser: { executablePath?: string }): Partial<Machine> {
  const missing = new Set(words)
  return {
    find: () => (missing.size === 0 ? browser : undefined),
    run: (command) => words.some((word) => command.includes(word) && (missing.delete(word) || true)),
  }
}

describe('with a browser', () => {
  test('nothing is installed', async () => {
    const ours = machine({ find: () => ({ executablePath: '/opt/chrome' }) })
    await expect(ensureBrowser(ours)).resolves.toBe('Browser: Chromium 156.0, /opt/chrome')
    expect(ours.commands).toEqual([])
  })

  test('one that does not start is named with the repair', async () => {
    const ours = machine({
      find: () => ({ executablePath: '/opt/chrome' }),
      launch: () => Promise.reject(new Error('spawn ENOENT\nand a long log')),
    })
    await expect(ensureBrowser(ours)).rejects.toThrow(/^\/opt\/chrome does not start \(spawn ENOENT\)\. .*CHROME_PATH/)
  })

  test('one that lacks libraries is told how to get them', async () => {
    const ours = machine({ find: () => ({}), launch: () => Promise.reject(new Error('missing libraries')) })
    await expect(ensureBrowser(ours)).rejects.toThrow('sudo npx playwright install-deps chromium')
  })
})

describe('without a browser', () => {
  test("root gets Playwright's and the libraries it needs", async () => {
    const ours = machine(installing(['install', 'install-deps'], {}))
    await expect(ensureBrowser(ours)).resolves.toMatch(/^Browser: installed Playwright's Chromium/)
    expect(ours.commands).toEqual(['install chromium', 'install-deps chromium'])
  })

  test("a user who is not root gets Playwright's alone", async () => {
    const ours = machine({ ...installing(['install'], {}), isRoot: false })
    await ensureBrowser(ours)
    expect(ours.commands).toEqual(['install chromium'])
  })

  test('root on Debian falls back on the system package', async () => {
    const ours = machine(installing(['update', 'apt-get'], { executablePath: '/usr/bin/chromium' }))
    await expect(ensureBrowser(ours)).resolves.toBe(
      'Browser: installed the chromium package: Chromium 156.0, /usr/bin/chromium',
    )
    expect(ours.commands).toEqual([
      'install chromium',
      'apt-get update',
      'apt-get install -y --no-install-recommends chromium',
    ])
  })

  test('elsewhere there is no fall-back on apt', async () => {
    const ours = machine({ hasApt: false })
    await expect(ensureBrowser(ours)).rejects.toThrow('Found no Chrome or Chromium')
    expect(ours.commands).toEqual(['install chromium'])
  })

  test('when everything fails the repair is named', async () => {
    await expect(ensureBrowser(machine())).rejects.toThrow('set CHROME_PATH')
  })
})
