import { type JsonObject, type Tool, tool } from '@turnloop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { talk } from './talk.ts'

/** A tool that takes anything and answers this. */
function answering(name: string, answer: JsonObject | string): Tool {
  return tool({
    name,
    description: '',
    effect: 'read',
    input: z.record(z.string(), z.unknown()),
    execute: () => answer,
  })
}

async function answerTo(text: string, tools: readonly Tool[]): Promise<string> {
  return (await (await talk({ tools })).ask(text)).text
}

test.each([
  [{ value: 0.1 + 0.2 }, 'It gives **0.3**.'],
  [{ value: '**bold**' }, 'It gives “\\*\\*bold\\*\\*”.'],
  [{ value: [1, 2] }, 'It gives:\n\n```text\n[\n  1,\n  2\n]\n```'],
  [{ value: true, console: 'a\nb' }, 'It gives **true**.\n\nIt wrote to the console:\n\n```text\na\nb\n```'],
  [{ value: null, note: 'The code gave no value.' }, 'The code gave no value.'],
])('code that comes to %j is told in words', async (answer, text) => {
  expect(await answerTo('run this JavaScript: `anything`', [answering('run_javascript', answer)])).toBe(text)
})

test('a tool of a server is found by its own name', async () => {
  const text = await answerTo('call echo with {"message": "hi"}', [answering('here_echo', 'Echo: hi')])
  expect(text).toBe('`echo` says:\n\n```text\nEcho: hi\n```')
})

test('a name that two servers have is not guessed', async () => {
  const text = await answerTo('call echo with {}', [answering('here_echo', ''), answering('there_echo', '')])
  expect(text).toBe('More than one server has `echo`. Call one of: `here_echo`, `there_echo`.')
})

test('what a server says cannot leave its block', async () => {
  const text = await answerTo('call echo with {}', [answering('echo', 'a\n```\n# Not a heading of ours')])
  expect(text).toBe('`echo` says:\n\n````text\na\n```\n# Not a heading of ours\n````')
})
