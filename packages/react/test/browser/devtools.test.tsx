import { createAgent, MemoryStore, openSession, type Session, tool } from '@turnloop/core'
import { AgentProvider } from '@turnloop/react'
import { TurnloopDevtools } from '@turnloop/react/devtools'
import { scriptedModel } from '@turnloop/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { click, devtools, find, openFile, press, rows, write } from './devtools-panel.ts'
import { nextFrame, until } from './page.ts'
import { render } from './strict-render.ts'

const lookUp = tool({ name: 'look_up', description: 'Looks up.', execute: () => 'found' })
const count = tool({ name: 'count', description: 'Counts.', execute: () => '3' })

const open: Session[] = []
afterEach(async () => {
  for (const session of open.splice(0)) await session.close({ running: 'cancel' })
  localStorage.clear()
})

/** A session in which a turn with two calls has been. */
async function usedSession(): Promise<Session> {
  const steps = [{ calls: [{ name: 'look_up' }, { name: 'count' }] }, 'It is three.', 'Again.', 'Once more.']
  const session = openSession({ agent: createAgent({ model: scriptedModel(steps), tools: [lookUp, count] }) })
  open.push(session)
  await session.send('How many?')
  return session
}

test('the button opens the panel, and Escape closes it', async () => {
  const session = await usedSession()
  const onOpenChange = vi.fn<(isOpen: boolean) => void>()
  await render(<TurnloopDevtools session={session} onOpenChange={onOpenChange} />)
  await until(() => document.querySelector('[data-turnloop-devtools]')?.shadowRoot?.querySelector('button') != null)

  await click('button', 'Open Turnloop devtools')
  expect(devtools().activeElement).toBe(find('[role=tab]', 'Timeline'))
  await press(find('[role=tab]', 'Timeline'), 'Escape')

  expect(devtools().activeElement).toBe(find('button', 'Open Turnloop devtools'))
  expect(onOpenChange.mock.calls).toEqual([[true], [false]])
})

test('a turn is drawn in time, with what its rows were made of', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)

  expect(rows().map((row) => row.replace(/\d.*/, ''))).toEqual([
    ...['Iteration ', 'modelscripted', 'checkpointreply whole', 'toollook_up', 'toolcount'],
    ...[
      'checkpointtools answered',
      'Iteration ',
      'modelscripted',
      'checkpointreply whole',
      'noticeturn endedcompleted',
    ],
  ])
  await press(find('[role=listbox]'), 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')
  expect(find('[aria-label="JSON of look_up"]').textContent).toContain('"tool-settled"')
})

test('a turn that runs is followed, and an earlier one can be gone back to', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)

  await session.send('And now?')
  await until(() => find('.picker').textContent === 'Turn  of 2')
  expect(find('.picker input')).toHaveProperty('value', '2')
  await click('button', 'Earlier turn')

  expect(find('.picker input')).toHaveProperty('value', '1')
  expect(rows()).toHaveLength(10)
})

test('the log is searched, narrowed, and followed', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Log')
  await until(() => rows().length === session.getEntries().length)

  await write(find('select'), 'tool-settled')
  await until(() => rows().length === 2)
  await write(find('input[type=search]'), 'COUNT')
  await until(() => rows().length === 1)
  await press(find('[role=listbox]'), 'ArrowDown')
  expect(find('[aria-label^="JSON of entry"]').textContent).toContain('"toolName": "count"')

  await write(find('input[type=search]'), '')
  await write(find('select'), 'turn-ended')
  await until(() => rows().length === 1)
  await session.send('And now?')
  await until(() => rows().length === 2)
})

test('snapshots are stepped through with arrow keys, with what changed', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Snapshots')
  await session.rename('A title')
  await until(() => rows().some((row) => row.endsWith('title')))

  const list = find('[role=listbox]')
  await press(list, 'Home')
  expect(find('.detail').textContent).toContain('there is nothing to compare it with')
  while (!find('[aria-selected=true][role=option]').textContent?.endsWith('title')) await press(list, 'ArrowDown')

  expect(find('.changes').textContent).toBe('title added"A title"')
})

test('two snapshots far apart can be compared', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Snapshots')
  await press(find('[role=listbox]'), 'Home')
  await click('button', 'Compare others with this')
  await session.send('And now?')
  await until(() => session.getSnapshot().status === 'idle' && rows().length > 3)
  await press(find('[role=listbox]'), 'End')

  await until(() => find('.changes').textContent?.includes('messages[4]') === true)
  expect(find('.changes').textContent).toContain('messages[5]')
  expect(find('.changes').textContent).not.toContain('messages[3]')
})

test('a list stays at its end, and what is picked is in view', async () => {
  const session = await usedSession()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Log')
  await until(() => isInView(find('[role=option]:last-child')))
  await click('[role=tab]', 'Snapshots')
  await session.send('And now?')
  await session.send('And then?')
  await until(() => rows().length > 12 && isInView(find('[role=option][aria-selected=true]')))

  await press(find('[role=listbox]'), 'ArrowUp')
  expect(isInView(find('[role=option][aria-selected=true]'))).toBe(true)
  await press(find('[role=listbox]'), 'Home')
  expect(isInView(find('[role=option][aria-selected=true]'))).toBe(true)
})

/** Whether a row is where one sees it. */
function isInView(row: HTMLElement): boolean {
  const [inner, outer] = [row.getBoundingClientRect(), find('[role=listbox]').getBoundingClientRect()]
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1
}

test('an exported session is stepped through, and left again', async () => {
  const session = await usedSession()
  const file = await session.export()
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Replay')
  await openFile(JSON.stringify(file))
  await until(() => devtools().querySelector('.transport') !== null)

  expect(find('.messages').textContent).toContain('It is three.')
  await click('button', 'To the start')
  expect(find('.messages').textContent).toBe('')
  await click('button', 'Step forward')
  await click('button', 'Step forward')
  expect(find('.messages').textContent).toBe('userHow many?')
  await click('[role=tab]', 'Log')
  expect(rows()).toHaveLength(2)

  await click('button', 'Leave the recording')
  await until(() => rows().length === file.entries.length)
})

test('of two recordings the one that was asked for last is played', async () => {
  const session = await usedSession()
  const file = await session.export()
  let finish = (): void => {}
  const slow = new Promise<typeof file>((resolve) => {
    finish = () => resolve({ ...file, title: 'The session' })
  })
  vi.spyOn(session, 'export').mockReturnValueOnce(slow)
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Replay')
  await click('button', 'Replay this session')
  await openFile(JSON.stringify({ ...file, title: 'The file' }))
  await until(() => devtools().querySelector('.transport') !== null)

  finish()
  await slow
  await nextFrame()
  expect(find('[aria-label="Conversation of the recording"] .quiet').textContent).toContain('The file')
})

test('a file that is no session is refused in words', async () => {
  await render(<TurnloopDevtools initialIsOpen />)
  await until(() => document.querySelector('[data-turnloop-devtools]')?.shadowRoot != null)
  await click('[role=tab]', 'Replay')
  await openFile('{"format": "something"}')

  await until(() => devtools().querySelector('[role=alert]') !== null)
  expect(find('[role=alert]').textContent).toContain('its format is not turnloop-session')
})

test('a file that cannot be drawn leaves the app and the other views alone', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const session = await usedSession()
  const file = await session.export()
  // A reducer takes it as it is; what draws it cannot.
  const entries = file.entries.map((entry) =>
    entry.type === 'message' && entry.message.role === 'user'
      ? { ...entry, message: { ...entry.message, content: [null] } }
      : entry,
  )
  await render(<TurnloopDevtools session={session} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Replay')
  await openFile(JSON.stringify({ ...file, entries }))

  await until(() => devtools().querySelector('[role=alert]') !== null)
  expect(find('[role=alert]').textContent).toMatch(/^This cannot be shown: /)
  await click('[role=tab]', 'Snapshots')
  expect(rows()).toHaveLength(file.entries.length)
  await click('button', 'Leave the recording')
  await click('[role=tab]', 'Timeline')
  expect(rows().length).toBeGreaterThan(5)
  logged.mockRestore()
})

test('Escape in the search clears it, and only then closes the panel', async () => {
  await render(<TurnloopDevtools session={await usedSession()} initialIsOpen />)
  await until(() => rows().length > 0)
  await click('[role=tab]', 'Log')
  const search = find('input[type=search]')
  await write(search, 'count')
  await press(search, 'Escape')

  expect(search).toHaveProperty('value', '')
  await press(search, 'Escape')
  expect(devtools().querySelector('.panel')).toBeNull()
})

test('a session is found by the provider and its id', async () => {
  const store = new MemoryStore()
  const agent = createAgent({ model: scriptedModel(['hello']) })
  await render(
    <AgentProvider agent={agent} store={store}>
      <TurnloopDevtools sessionId="trip" initialIsOpen />
    </AgentProvider>,
  )

  await until(() => document.querySelector('[data-turnloop-devtools]')?.shadowRoot?.querySelector('.status') != null)
  await until(() => find('.status').textContent === 'idlesaved · trip')
})

test('the panel says that there is no session yet', async () => {
  await render(<TurnloopDevtools initialIsOpen />)

  await until(() => document.querySelector('[data-turnloop-devtools]')?.shadowRoot?.querySelector('.empty') != null)
  expect(find('.empty').textContent).toBe('No session yet.')
})
