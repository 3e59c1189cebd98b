import { expect, test } from 'vitest'
import { type Command, findCommands } from '../src/palette/find-commands.ts'

const command = (label: string, more: Partial<Command> = {}): Command => ({
  ...{ id: label, group: 'Commands', label, run: () => {} },
  ...more,
})
const labels = (commands: readonly Command[], search: string) =>
  findCommands(commands, search).map(({ label }) => label)

test('every word is looked for, in what a command is called and in what else it is known by', () => {
  const commands = [command('Settings: Model', { keywords: 'key' }), command('Settings: Storage')]

  expect(labels(commands, 'KEY settings')).toEqual(['Settings: Model'])
  expect(labels(commands, 'nothing')).toEqual([])
})

test('what begins with the words comes first, and sessions after commands', () => {
  const session = command('Stops by month', { group: 'Sessions' })

  expect(labels([session, command('Do not stop'), command('Stop')], 'stop')).toEqual([
    'Stop',
    'Do not stop',
    'Stops by month',
  ])
})

test('without words only the last sessions are shown', () => {
  const sessions = Array.from({ length: 30 }, (_, index) => command(`Session ${index}`, { group: 'Sessions' }))

  expect(labels(sessions, '')).toHaveLength(5)
  expect(labels(sessions, 'session')).toHaveLength(20)
})
