import { jsonSchema } from '@turnloop/core/json-schema'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answerTool, createOutputSpec, finaliserText, repairText } from '../src/answer-tool.ts'
import { okSpec, specOf } from './output-setup.ts'

const schema = z.object({ ok: z.boolean() })

describe('the policy', () => {
  const takesSchemas = { structuredOutput: true }

  test.each([
    ['a model that takes schemas, no tools', takesSchemas, false, 'always'],
    ['a model that takes schemas, with tools', takesSchemas, true, 'final'],
    ['a model that takes none, no tools', { structuredOutput: false }, false, 'tool'],
    ['an unknown model, with tools', undefined, true, 'tool'],
    ['a model that does not say, no tools', {}, false, 'tool'],
  ] as const)('K2: for %s is settled up front', (_name, capabilities, hasTools, policy) => {
    expect(specOf(schema, { capabilities, hasTools }).policy).toBe(policy)
  })

  test.each(['always', 'final', 'tool'] as const)('%s stands where it was asked for', (policy) => {
    expect(specOf(schema, { policy, hasTools: true }).policy).toBe(policy)
    expect(specOf(schema, { policy, capabilities: takesSchemas }).policy).toBe(policy)
  })
})

describe('the schema', () => {
  test('B6: what is shown and what checks come from one source', async () => {
    const spec = specOf(z.object({ t: z.string(), max: z.number().default(3) }))
    expect(spec.schema).toMatchObject({ type: 'object', required: ['t'] })
    expect(await spec.check({ t: 'kettles' })).toEqual({ ok: true, value: { t: 'kettles', max: 3 } })
  })

  test.each([
    [
      'a list',
      z.array(z.string()),
      'agent.output: the answer must be an object, not "array". Wrap the value in an object.',
    ],
    ['text', z.string(), 'agent.output: the answer must be an object, not "string". Wrap the value in an object.'],
    [
      'anything',
      z.unknown(),
      'agent.output: the answer must be an object, not "anything". Wrap the value in an object.',
    ],
    ['a date', z.object({ at: z.date() }), 'agent.output: this schema has a part that JSON Schema cannot express.'],
  ])('of %s is refused', (_name, given, message) => {
    expect(() => specOf(given, { where: 'agent.output' })).toThrow(
      expect.objectContaining({ code: 'bad-option', message }),
    )
  })

  test('given as bare JSON Schema is refused with the way to wrap it', () => {
    const bare = { type: 'object', properties: {} } as unknown as z.ZodType
    expect(() => specOf(bare)).toThrow(/Wrap it: jsonSchema\(…\) from @turnloop\/core\/json-schema/)
  })

  test('wrapped JSON Schema is checked', async () => {
    const wrapped = jsonSchema({ type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] })
    const options = { policy: 'auto', retries: 2, hasTools: false, capabilities: undefined, where: 'output' } as const
    const spec = createOutputSpec(wrapped, options)
    expect([spec.retries, (await spec.check({})).ok, (await spec.check({ ok: true })).ok]).toEqual([2, false, true])
  })
})

describe('the answer tool', () => {
  test('takes the answer as its arguments', () => {
    expect(answerTool(okSpec, new Set())).toMatchObject({ name: 'final_answer', inputSchema: okSpec.schema })
  })

  test('has a name that no other tool has', () => {
    const names = [['geo'], ['final_answer'], ['final_answer', 'final_answer_2', 'final_answer_4']]
    expect(names.map((taken) => answerTool(okSpec, new Set(taken)).name)).toEqual([
      'final_answer',
      'final_answer_2',
      'final_answer_3',
    ])
  })
})

describe('what the model is told', () => {
  const finalSpec = specOf(schema, { policy: 'final' })
  const toolSpec = specOf(schema, { policy: 'tool' })

  test('a short schema is written out where JSON is asked for', () => {
    expect(finaliserText(finalSpec)).toContain(JSON.stringify(finalSpec.schema))
    expect(finaliserText(finalSpec)).toContain('one JSON object')
  })

  test('a long schema is left to the request', () => {
    const long = specOf(z.object({ ok: z.boolean().describe('x'.repeat(4_000)) }), { policy: 'final' })
    expect(finaliserText(long).length).toBeLessThan(200)
  })

  test('with an answer tool its call is asked for', () => {
    expect(finaliserText(toolSpec)).toContain('call the tool')
    expect(repairText(['ok: missing'], toolSpec)).toContain('Call the tool for the final answer again')
  })

  test('K7: a repair names what was wrong and asks for JSON alone', () => {
    expect(repairText(['ok: missing', 'age: not a number'], finalSpec)).toBe(
      'The answer was not accepted:\n- ok: missing\n- age: not a number\nSend the corrected JSON object alone, with nothing around it.',
    )
  })

  test('a repair names ten problems at most', () => {
    const problems = Array.from({ length: 12 }, (_, index) => `field ${index}: missing`)
    const text = repairText(problems, finalSpec)
    expect([text.includes('- field 9:'), text.includes('field 10')]).toEqual([true, false])
  })
})
