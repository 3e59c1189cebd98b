import {
  type AgentOptions,
  createAgent,
  type Model,
  type Tool,
  type ToolOptions,
  type ToolSource,
  tool,
} from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { counter, echo, toolNames } from './loop-setup.ts'

const model = scriptedModel([])

/** What `createAgent` says against these options. */
function complaint(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    expect(error).toMatchObject({ name: 'TurnloopError', code: 'bad-option' })
    return error instanceof Error ? error.message : ''
  }
  return 'no complaint'
}

describe('createAgent names the option that cannot work', () => {
  const bad: [keyof AgentOptions, unknown[]][] = [
    ['name', ['', 5, null]],
    ['model', [undefined, null, 'gpt', {}, { doStream: () => {} }, { stream: 'x' }]],
    ['instructions', [5, null, {}]],
    ['tools', [null, {}, echo, 'echo']],
    ['settings', [null, 'hot', []]],
    ['maxIterations', [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null]],
    ['toolExecution', ['sometimes', true, null]],
    ['maxParallelTools', [0, -1, 1.5, Number.NaN, '8']],
    ['maxResultBytes', [0, 999, Number.POSITIVE_INFINITY, '1 MB']],
    ['graceMs', [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '800']],
    ['history', ['no', 0, null]],
    ['clock', [null, {}, { now: () => 0 }, () => 0]],
  ]
  const cells = bad.flatMap(([option, values]) => values.map((value) => ({ option, value })))

  test.each(cells)('$option: $value', ({ option, value }) => {
    const text = complaint(() => createAgent({ model, [option]: value } as AgentOptions))
    expect(text).toMatch(new RegExp(`^createAgent: "${option}" `))
  })

  test.each(['timeout', 'maxSteps', 'toString', 'constructor', '__proto__x'])('there is no option "%s"', (option) => {
    const text = complaint(() => createAgent({ model, [option]: 1 } as unknown as AgentOptions))
    expect(text).toBe(`createAgent: there is no option "${option}".`)
  })

  test.each([undefined, null, 5, 'gpt', [model]])('%s is no options at all', (options) => {
    expect(complaint(() => createAgent(options as unknown as AgentOptions))).toMatch(/^createAgent: /)
  })

  test('an option that is undefined is left out', () => {
    const options = { model, name: undefined, tools: undefined, maxIterations: undefined }
    expect(createAgent(options as unknown as AgentOptions).name).toBe('agent')
  })
})

describe('tools of an agent', () => {
  const check: Tool['check'] = async (value) => ({ ok: true, value })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'echo'],
    ['a function', () => 'x'],
    ['options that were not given to tool()', { name: 'x', description: 'x', execute: () => 1 }],
    ['a tool without a schema', { name: 'x', description: 'x', execute: () => 1, check }],
    ['a tool whose name no provider takes', { ...echo, name: 'cal.read' }],
  ])('one that is %s is refused with its place', (_name, item) => {
    expect(complaint(() => createAgent({ model, tools: [echo, item as Tool] }))).toMatch(/^createAgent: tools\[1\]/)
  })

  test('two of one name are refused', () => {
    expect(complaint(() => createAgent({ model, tools: [echo, counter('tick').tool, echo] }))).toBe(
      'createAgent: two tools are named "echo".',
    )
  })

  test.each<[string, unknown, string]>([
    ['no list', undefined, 'tool-list-failed'],
    ['an object', {}, 'tool-list-failed'],
    ['a tool of a name that is taken', [echo], 'tool-list-failed'],
    ['something that is no tool', [{ name: 'x' }], 'bad-option'],
    ['a name that no provider takes', [{ ...echo, name: 'cal.read' }], 'bad-option'],
  ])('a source that lists %s fails the turn, and says so', async (_name, listed, code) => {
    const source: ToolSource = { list: async () => listed as Tool[] }
    const { outcome } = await createAgent({ model: scriptedModel([]), tools: [echo, source] })
      .turn('Hello')
      .untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code } })
  })

  test('a source that cannot be listened to fails the turn', async () => {
    let listeners = 0
    const good: ToolSource = {
      list: async () => [],
      subscribe: () => {
        listeners += 1
        return () => {
          listeners -= 1
        }
      },
    }
    const broken: ToolSource = {
      list: async () => [],
      subscribe: () => {
        throw new Error('no connection')
      },
    }
    const { outcome } = await createAgent({ model, tools: [good, broken] })
      .turn('Hello')
      .untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'tool-list-failed' } })
    expect(listeners).toBe(0)
  })

  test('a list that changes while it is fetched is fetched again', async () => {
    let change = (): void => {}
    let lists = 0
    const source: ToolSource = {
      list: async () => {
        lists += 1
        const stale = lists === 1
        if (stale) change()
        return stale ? [] : [counter('late').tool]
      },
      subscribe: (onChange) => {
        change = onChange
        return () => {}
      },
    }
    const asked = scriptedModel([{ stopReason: 'toolUse', text: 'Let me.' }, 'Done.'])
    await createAgent({ model: asked, tools: [source] })
      .turn('Go')
      .untilDone()
    expect(asked.requests.map(toolNames)).toEqual([[], ['late']])
  })
})

describe('tool() names the option that cannot work', () => {
  const good: ToolOptions = { name: 'x', description: 'x', execute: () => 1 }
  const bad: [keyof ToolOptions, unknown[]][] = [
    ['name', ['', 'a b', 'cal.read', 'cal/read', 'čas', 'a'.repeat(65), 5, null]],
    ['description', [5, null]],
    ['title', [5]],
    ['execute', ['x', null, {}]],
    ['effect', ['write', 'Unsafe', '', true]],
    ['exclusive', ['yes', 1]],
    ['timeoutMs', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '30']],
  ]
  const cells = bad.flatMap(([option, values]) => values.map((value) => ({ option, value })))

  test.each(cells)('$option: $value', ({ option, value }) => {
    expect(complaint(() => tool({ ...good, [option]: value } as ToolOptions))).toMatch(
      new RegExp(`^tool\\(.*\\): "${option}" `),
    )
  })

  test.each(['name', 'description'] as const)('%s has to be there', (option) => {
    const { [option]: _left, ...rest } = good
    expect(complaint(() => tool(rest as ToolOptions))).toContain(`"${option}" is missing`)
  })

  test.each(['approval', 'timeout', 'parameters', 'inputSchema'])('there is no option "%s"', (option) => {
    const options = { ...good, [option]: true } as ToolOptions
    expect(complaint(() => tool(options))).toBe(`tool("x"): there is no option "${option}".`)
  })

  test.each(['a', 'A-b_9', 'a'.repeat(64)])('the name %s is fine', (name) => {
    expect(tool({ ...good, name }).name).toBe(name)
  })

  test('a tool is unsafe and not exclusive unless it says otherwise', () => {
    expect(tool(good)).toMatchObject({ effect: 'unsafe', exclusive: false, inputSchema: { type: 'object' } })
  })
})

describe('turn names the option or input that cannot work', () => {
  const agent = createAgent({ model: scriptedModel(['Fine.']) })
  type Options = NonNullable<Parameters<typeof agent.turn>[1]>

  test.each<[string, unknown]>([
    ['maxIterations', -1],
    ['maxIterations', Number.NaN],
    ['toolExecution', 'sometimes'],
    ['settings', 'hot'],
    ['history', 'no'],
    ['reject', 'always'],
    ['signal', null],
    ['turnId', ''],
    ['onEvent', {}],
  ])('%s: %s', (option, value) => {
    expect(complaint(() => agent.turn('Hello', { [option]: value } as Options))).toMatch(
      new RegExp(`^turn: "${option}" `),
    )
  })

  test('an option that there is not', () => {
    expect(complaint(() => agent.turn('Hello', { maxSteps: 3 } as Options))).toBe(
      'turn: there is no option "maxSteps".',
    )
  })

  const message = { id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Hi' }] }

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['no text', ''],
    ['white space', ' \n'],
    ['no parts', []],
    ['blank parts', [{ type: 'text', text: ' ' }]],
    ['a part of no kind', [{ type: 'picture' }]],
    ['a file without data', [{ type: 'file', mediaType: 'image/png', data: {} }]],
    ['a message of text', { role: 'user', content: 'Hi' }],
    ['a message without an id', { ...message, id: undefined }],
    ['a message of the model', { ...message, role: 'assistant' }],
    ['a transcript of texts', [{ role: 'user', content: 'Hi' }]],
    ['a transcript with a system message', [{ ...message, role: 'system' }, message]],
    ['a transcript with text for content', [{ ...message, role: 'assistant', content: 'Hi' }, message]],
    ['a transcript with a hole in a message', [{ ...message, id: 'a', content: [null] }, message]],
    ['a transcript with a hole', [message, null, message]],
    ['a transcript that ends with an answer', [message, { ...message, role: 'assistant' }]],
    ['a part that cannot be stored', [{ type: 'text', text: 'Hi', providerMetadata: { a: { run: () => 1 } } }]],
  ])('an input that is %s', (_name, input) => {
    expect(() => agent.turn(input as string)).toThrow(expect.objectContaining({ code: 'bad-input' }))
  })

  test.each<[string, unknown]>([
    ['text', 'Hi'],
    ['parts', [{ type: 'text', text: 'Hi' }]],
    ['a file alone', [{ type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' } }]],
    ['a message', message],
    ['a transcript', [message, { ...message, id: 'v' }]],
  ])('an input that is %s is fine', async (_name, input) => {
    const { outcome } = await createAgent({ model: scriptedModel(['Fine.']) })
      .turn(input as string)
      .untilDone()
    expect(outcome).toEqual({ kind: 'completed' })
  })

  test('what the caller passed in is neither frozen nor kept', async () => {
    const parts = [{ type: 'text' as const, text: 'Hi' }]
    const turn = createAgent({ model: scriptedModel(['Fine.']) }).turn(parts)
    parts.push({ type: 'text', text: ' there' })
    const { messages } = await turn.untilDone()
    expect(messages[0]).toMatchObject({ content: [{ type: 'text', text: 'Hi' }] })
    expect(Object.isFrozen(parts[0])).toBe(false)
  })
})

describe('an agent is immutable', () => {
  test('it does not change with the options it was made of', async () => {
    const asked = scriptedModel(['Fine.'])
    const tools = [echo]
    const settings = { temperature: 0 }
    const options: AgentOptions = { model: asked, tools, settings }
    const agent = createAgent(options)
    tools.push(counter('tick').tool)
    settings.temperature = 1
    options.instructions = 'Changed'
    await agent.turn('Hello').untilDone()
    expect(asked.requests[0]).toMatchObject({ settings: { temperature: 0 } })
    expect(asked.requests[0]?.instructions).toBeUndefined()
    expect(toolNames(asked.requests[0])).toEqual(['echo'])
    expect(Object.isFrozen(agent)).toBe(true)
  })

  test('with changes some options in a new one', async () => {
    const [first, second] = [scriptedModel(['One.']), scriptedModel(['Two.'])]
    const agent = createAgent({ model: first, tools: [echo], name: 'one' })
    const other = agent.with({ model: second as Model, name: 'two' })
    await Promise.all([agent.turn('Hello').untilDone(), other.turn('Hello').untilDone()])
    expect([agent.name, other.name, first.requests.length, second.requests.map(toolNames)]).toEqual([
      ...['one', 'two', 1],
      [['echo']],
    ])
    expect(complaint(() => agent.with({ graceMs: -1 }))).toContain('"graceMs"')
  })

  test('settings of a turn are laid over those of the agent', async () => {
    const asked = scriptedModel(['Fine.'])
    const agent = createAgent({ model: asked, settings: { temperature: 0, topP: 1 } })
    await agent.turn('Hello', { settings: { temperature: 1 } }).untilDone()
    expect(asked.requests[0]?.settings).toEqual({ temperature: 1, topP: 1 })
  })

  test('a tool knows its schema whatever the caller does with the options', () => {
    const options = { name: 'x', description: 'x', input: z.object({ a: z.string() }), execute: () => 1 }
    const made = tool(options)
    options.name = 'changed'
    expect([made.name, Object.isFrozen(made)]).toEqual(['x', true])
  })
})
