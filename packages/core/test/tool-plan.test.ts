import { type JsonObject, type Tool, type ToolCallPart, tool } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type PlannedCall, planCall, recheckCall } from '../src/tool-plan.ts'
import { isDeepFrozen } from './turn-setup.ts'

function toolOf(input?: z.ZodType, name = 'target'): Tool {
  return tool({ name, description: name, ...(input && { input: input as z.ZodObject }), execute: () => 'ran' })
}

function callOf(toolName: string, inputText: string): ToolCallPart {
  return { type: 'tool-call', callId: 'c', wireId: 'c', toolName, inputText }
}

/** What planning makes of these arguments: the value the tool gets, or the explanation. */
async function plan(input: z.ZodType | Tool, value: unknown, isText = false): Promise<unknown> {
  const target = 'execute' in input ? input : toolOf(input)
  const planned = await planCall(callOf(target.name, isText ? String(value) : JSON.stringify(value)), [target])
  return planned.kind === 'ready' ? planned.value : planned.problem
}

function problemOf(planned: PlannedCall): string {
  return planned.kind === 'refused' ? planned.problem : 'none'
}

describe('names', () => {
  const tools = ['Shell', 'shell_2', 'geo', 'GEO', 'Geo'].map((name) => toolOf(undefined, name))

  test.each([
    ['Shell', 'Shell'],
    ['shell', 'Shell'],
    ['SHELL', 'Shell'],
    ['geo', 'geo'],
    ['Geo', 'Geo'],
    ['gEo', undefined],
    ['shell ', undefined],
    ['she', undefined],
    ['', undefined],
    ['constructor', undefined],
  ])('%j is %j', async (name, expected) => {
    const planned = await planCall(callOf(name, '{}'), tools)
    expect(planned.kind === 'ready' ? planned.tool.name : undefined).toBe(expected)
    if (expected === undefined) expect(problemOf(planned)).toContain('Available tools: Shell, shell_2, geo, GEO, Geo.')
  })

  test('without any tools the model is told so', async () => {
    expect(problemOf(await planCall(callOf('geo', '{}'), []))).toBe(
      'There is no tool named "geo". There are no tools in this conversation.',
    )
  })

  test('one that is no text is refused like any other', async () => {
    const call = { ...callOf('geo', '{}'), toolName: undefined as unknown as string }
    expect((await planCall(call, tools)).kind).toBe('refused')
  })
})

describe('argument texts', () => {
  const any = z.looseObject({})

  test.each([
    ['', {}],
    ['  \n\t', {}],
    ['{}', {}],
    [' {"a":1} ', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":"\\ud83d\\ude00"}', { a: '😀' }],
  ])('%j is %j', async (text, value) => {
    expect(await plan(any, text, true)).toEqual(value)
  })

  test.each([
    ['null', 'must be a JSON object, not null'],
    ['5', 'must be a JSON object, not a number'],
    ['true', 'must be a JSON object, not a boolean'],
    ['"x"', 'must be a JSON object, not a string'],
    ['[]', 'must be a JSON object, not a list'],
    ['"[1]"', 'must be a JSON object, not a string'],
    ['"\\"{}\\""', 'must be a JSON object, not a string'],
    ['{"a":', 'not valid JSON'],
    ['{"a":1', 'not valid JSON'],
    ['{"a":1,}', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['{"a":NaN}', 'not valid JSON'],
    ['{}{}', 'not valid JSON'],
    ['"{\\"a\\":"', 'not valid JSON'],
    ['```json\n{}\n```', 'not valid JSON'],
  ])('%j is refused: %s', async (text, problem) => {
    expect(await plan(any, text, true)).toContain(problem)
  })

  test('text that was probably cut says so', async () => {
    const planned = await planCall(callOf('target', '{"a":'), [toolOf(any)], { probablyCut: true })
    expect(problemOf(planned)).toContain('output limit probably cut them off')
  })

  test('the recorded input is frozen throughout', async () => {
    const planned = await planCall(callOf('target', '{"a":{"b":[{"c":1}]}}'), [toolOf(any)])
    expect(planned.kind === 'ready' && isDeepFrozen(planned.input)).toBe(true)
  })

  test('"__proto__" is a key like any other, also where something is mended', async () => {
    const schema = z.looseObject({ ids: z.array(z.number()), admin: z.boolean().optional() })
    const text = '{"ids":"[1]","__proto__":{"admin":true}}'
    const planned = await planCall(callOf('target', text), [toolOf(schema)])
    const { input } = planned.kind === 'ready' ? planned : { input: {} as JsonObject }
    expect(JSON.stringify(input)).toBe('{"ids":[1],"__proto__":{"admin":true}}')
    expect(input.admin).toBeUndefined()
  })
})

describe('misfits', () => {
  test('each problem names its place', async () => {
    const schema = z.object({ a: z.number(), b: z.object({ c: z.array(z.string()) }) })
    const problem = await plan(schema, { a: 'x', b: { c: ['y', 1] } })
    expect(problem).toMatch(/^target: the arguments do not fit its schema:\n- a: .+\n- b\.c\.1: .+$/)
  })

  test('no more than ten are listed', async () => {
    const schema = z.object({ list: z.array(z.number()) })
    const problem = await plan(schema, { list: Array.from({ length: 50 }, () => 'x') })
    expect(String(problem).split('\n')).toHaveLength(11)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('validator broke')
      },
    ],
    ['rejects', () => Promise.reject(new Error('validator broke'))],
  ])('a check that %s is a refusal', async (_how, check) => {
    expect(await plan({ ...toolOf(), check }, {})).toContain('validator broke')
  })
})

describe('a call that runs once more', () => {
  const schema = z.object({ day: z.string().transform((text) => text.length) })
  const input = { day: 'Monday' }

  test('is checked again with what was recorded', async () => {
    const started = { toolName: 'target', input }
    const planned = await recheckCall(callOf('target', 'ignored'), [toolOf(schema)], started)
    expect(planned).toMatchObject({ kind: 'ready', input, value: { day: 6 } })
    expect(planned).not.toHaveProperty('modelInput')
  })

  test('keeps the tool it ran with and what the model wrote', async () => {
    const started = { toolName: 'target', input, modelInput: 'Mon' }
    const call = callOf('tarjet', '"Mon"')
    const planned = await recheckCall(call, [toolOf(schema)], started)
    expect(planned).toMatchObject({ kind: 'ready', call, tool: { name: 'target' }, modelInput: 'Mon' })
  })

  test.each([
    ['its input does not fit any more', { toolName: 'target', input: { day: 5 } }],
    ['its tool is gone', { toolName: 'gone', input }],
  ])('is refused where %s', async (_why, started) => {
    expect((await recheckCall(callOf('target', '{}'), [toolOf(schema)], started)).kind).toBe('refused')
  })
})
