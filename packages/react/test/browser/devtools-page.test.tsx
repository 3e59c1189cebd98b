import { createAgent, openSession, type Session, tool } from '@turnloop/core'
import { TurnloopDevtools } from '@turnloop/react/devtools'
import { scriptedModel } from '@turnloop/testing'
import axe from 'axe-core'
import { Profiler } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { click, devtools, find, openFile, press, rows } from './devtools-panel.ts'
import { countFrames, nextFrame, until } from './page.ts'
import { render, STRICT_CALLS } from './strict-render.ts'
import { valve } from './valve.ts'

const lookUp = tool({ name: 'look_up', description: 'Looks up.', execute: () => 'found' })

const left: (() => unknown)[] = []
afterEach(async () => {
  for (const leave of left.splice(0)) await leave()
  localStorage.clear()
})

function sessionOf(...steps: Parameters<typeof scriptedModel>[0] & readonly unknown[]): Session {
  const session = openSession({ agent: createAgent({ model: scriptedModel(steps), tools: [lookUp] }) })
  left.push(() => session.close({ running: 'cancel' }))
  return session
}

function hasPanel(): boolean {
  return document.querySelector('[data-turnloop-devtools]')?.shadowRoot?.querySelector('button') != null
}

/** Put something into the head until the test is over. */
function addToHead(element: HTMLElement): void {
  document.head.append(element)
  left.push(() => element.remove())
}

test('keys and clicks in the panel do not reach the page', async () => {
  const heard: string[] = []
  const hear = ({ type }: Event): void => void heard.push(type)
  for (const type of ['keydown', 'click']) {
    window.addEventListener(type, hear)
    left.push(() => window.removeEventListener(type, hear))
  }
  await render(
    // biome-ignore lint/a11y: it stands for an app that listens around everything.
    <div onClick={() => heard.push('app click')} onKeyDown={() => heard.push('app keydown')}>
      <TurnloopDevtools initialIsOpen />
    </div>,
  )
  await until(hasPanel)

  await click('[role=tab]', 'Log')
  await press(find('[role=tab]', 'Log'), 'ArrowRight')

  expect(find('[role=tab][aria-selected=true]').textContent).toBe('Snapshots')
  expect(heard).toEqual([])
})

test('styles of the page do not reach the panel, nor its own the page', async () => {
  const style = document.createElement('style')
  style.textContent = `
    * { color: rgb(255, 0, 0); letter-spacing: 9px; font-family: fantasy }
    [data-turnloop-devtools], button, section { display: none; border: 9px solid rgb(255, 0, 0) }`
  const before = getComputedStyle(document.body).cssText
  await render(<TurnloopDevtools initialIsOpen />)
  await until(hasPanel)
  const plain = ['color', 'letterSpacing', 'fontFamily', 'display', 'borderTopColor'] as const
  const read = (): string[] => plain.map((name) => getComputedStyle(find('button', 'Close devtools'))[name])
  const unstyled = read()

  expect(getComputedStyle(document.body).cssText).toBe(before)
  addToHead(style)
  expect(read()).toEqual(unstyled)
  expect(find('.panel').getBoundingClientRect().height).toBeGreaterThan(100)
})

test('a page that forbids inline styles shows the panel all the same', async () => {
  const refused: string[] = []
  const note = ({ violatedDirective }: SecurityPolicyViolationEvent): void => void refused.push(violatedDirective)
  document.addEventListener('securitypolicyviolation', note)
  left.push(() => document.removeEventListener('securitypolicyviolation', note))
  const frame = document.createElement('iframe')
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><div id="root"></div>`
  left.push(() => frame.remove())
  await new Promise((resolve) => {
    frame.onload = resolve
    document.body.append(frame)
  })
  const page = frame.contentDocument
  const root = page?.getElementById('root')
  if (page == null || root == null) throw new Error('The frame is empty.')
  page.addEventListener('securitypolicyviolation', note)

  await render(<TurnloopDevtools initialIsOpen session={sessionOf()} />, { container: root })
  const panel = (): Element | null | undefined =>
    page.querySelector('[data-turnloop-devtools]')?.shadowRoot?.querySelector('.panel')
  await until(() => panel() != null)

  const shown = panel()
  expect(shown && page.defaultView?.getComputedStyle(shown).position).toBe('fixed')
  expect(shown?.getBoundingClientRect().height).toBeGreaterThan(100)
  expect(refused).toEqual([])
})

test('axe finds nothing in any view, light or dark', async () => {
  const session = sessionOf({ calls: [{ name: 'look_up' }] }, 'done', 'again')
  await session.send('Hi')
  await session.send('Hi again')
  const file = JSON.stringify(await session.export())
  for (const theme of ['light', 'dark'] as const) {
    const { unmount } = await render(<TurnloopDevtools session={session} theme={theme} initialIsOpen />)
    await until(hasPanel)
    for (const tab of ['Timeline', 'Log', 'Snapshots', 'Replay']) {
      await click('[role=tab]', tab)
      if (tab === 'Replay') {
        await openFile(file)
        await until(() => devtools().querySelector('.transport') !== null)
      } else {
        await until(() => rows().length > 0)
        await press(find('[role=listbox]'), 'Home')
      }
      expect(await violations(), `${tab}, ${theme}`).toEqual([])
    }
    await click('button', 'Close devtools')
    expect(await violations(), `closed, ${theme}`).toEqual([])
    await unmount()
  }
})

async function violations(): Promise<string[]> {
  const host = document.querySelector('[data-turnloop-devtools]')
  if (host === null) throw new Error('The devtools are not drawn.')
  const found = await axe.run(host, { resultTypes: ['violations'] })
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

test('a closed panel renders for the status of a turn, not for its text', async () => {
  const gate = valve()
  const model = scriptedModel(['x'.repeat(2_000)], { chunk: 1, beforeEvent: gate.pass })
  const session = openSession({ agent: createAgent({ model }) })
  left.push(() => session.close({ running: 'cancel' }))
  let renders = 0
  await render(
    <Profiler id="devtools" onRender={() => (renders += 1)}>
      <TurnloopDevtools session={session} />
    </Profiler>,
  )
  await until(hasPanel)
  const before = renders
  gate.release(Number.POSITIVE_INFINITY)
  await session.send('Hi')
  await nextFrame()

  // It began to run, and rests again.
  expect(renders - before).toBeLessThanOrEqual(2 * STRICT_CALLS)
})

test('an open panel renders once a frame at most while text comes', async () => {
  const session = sessionOf('word '.repeat(3_000))
  let renders = 0
  await render(
    <Profiler id="devtools" onRender={() => (renders += 1)}>
      <TurnloopDevtools session={session} initialIsOpen />
    </Profiler>,
  )
  await until(hasPanel)
  const [before, frames] = [renders, countFrames()]
  await session.send('Hi')
  await until(() => rows().length > 0)

  // The status, and the clock of the turn that runs, beside the frames.
  expect(renders - before).toBeLessThan(2 * frames() + 20)
})

test('what a server rendered, which is nothing, is taken over without a warning', async () => {
  const container = document.createElement('div')
  document.body.append(container)
  const app = <TurnloopDevtools initialIsOpen />
  container.innerHTML = renderToString(app)
  expect(container.innerHTML).toBe('')

  const root = hydrateRoot(container, app)
  left.push(() => {
    root.unmount()
    container.remove()
  })
  await until(hasPanel)
})

test('unmounted, it leaves nothing behind', async () => {
  const session = sessionOf('Hello.')
  const before = document.body.innerHTML
  const { unmount, container } = await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(hasPanel)
  await unmount()
  container.remove()

  expect(document.querySelector('[data-turnloop-devtools]')).toBeNull()
  expect(document.adoptedStyleSheets).toEqual([])
  expect(document.body.innerHTML).toBe(before)
})

test('the page is told how much room the open panel takes', async () => {
  const room = (): string[] =>
    ['bottom', 'right'].map((edge) => document.documentElement.style.getPropertyValue(`--turnloop-devtools-${edge}`))
  const { unmount } = await render(<TurnloopDevtools initialIsOpen />)
  await until(hasPanel)
  const height = find('.panel').offsetHeight
  expect(room()).toEqual([`${height}px`, '0px'])

  await press(find('[role=separator]'), 'ArrowUp')
  await until(() => room()[0] === `${height + 32}px`)
  await click('button', 'Close devtools')
  expect(room()).toEqual(['', ''])
  await click('button', 'Open Turnloop devtools')
  await unmount()
  expect(room()).toEqual(['', ''])
})

test('the panel comes back as it was left', async () => {
  const first = await render(<TurnloopDevtools initialIsOpen />)
  await until(hasPanel)
  await press(find('[role=separator]'), 'ArrowUp', 'ArrowUp')
  await click('[role=tab]', 'Log')
  const height = find('.panel').offsetHeight
  await first.unmount()

  await render(<TurnloopDevtools initialIsOpen />)
  await until(hasPanel)
  expect(find('.panel').offsetHeight).toBe(height)
  expect(find('[role=tab][aria-selected=true]').textContent).toBe('Log')
})

test('a layout that another version kept does no harm', async () => {
  localStorage.setItem('turnloop-devtools', '{"dock":"left","tab":7,"size":{"bottom":"tall","right":null}}')
  await render(<TurnloopDevtools initialIsOpen />)
  await until(hasPanel)

  expect(find('.panel').dataset.dock).toBe('bottom')
  expect(find('.panel').offsetHeight).toBeGreaterThan(100)
  expect(find('[role=tab][aria-selected=true]').textContent).toBe('Timeline')
})
