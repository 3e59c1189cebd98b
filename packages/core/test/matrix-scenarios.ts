import { autoCompaction, structured } from '@turnloop/core'
import { z } from 'zod'
import type { Scenario } from './matrix-cut.ts'
import { call, type Reply, reply, say, think } from './matrix-world.ts'

const CALLS = ['quick', 'slow', 'third']
/** A reply that thinks, talks and asks for three tools. */
export const three: Reply = [...think('Three of them.'), ...reply('Let me see.', CALLS, 'toolUse')]
/** The end of a turn. */
export const answer: Reply = reply('All done.', [], 'endTurn')
const halfCall: Reply = [
  { type: 'tool-input-start', id: 'half', toolName: 'slow' },
  { type: 'tool-input-delta', id: 'half', delta: '{"a":' },
]

/** What follows the three tools: each way in which a model can stop. */
const FOLLOW_UPS: readonly { readonly name: string; readonly after: readonly Reply[] }[] = [
  { name: 'endTurn', after: [[...think('So.'), ...answer]] },
  { name: 'toolUse again', after: [reply('', ['slow', 'quick'], 'toolUse'), answer] },
  { name: 'stopSequence', after: [reply('All', [], 'stopSequence')] },
  { name: 'other', after: [reply('All', [], 'other')] },
  { name: 'pause', after: [reply('Wait.', [], 'pause'), reply('Wait.', [], 'pause'), answer] },
  { name: 'maxTokens', after: [reply('All do', [], 'maxTokens')] },
  {
    name: 'maxTokens with calls',
    after: [
      [...reply('Cut.', ['quick'], 'maxTokens').slice(0, -1), ...halfCall, { type: 'finish', stopReason: 'maxTokens' }],
      reply('Cut.', ['slow'], 'maxTokens'),
    ],
  },
  { name: 'safety', after: [reply('No.', ['slow'], 'safety')] },
  { name: 'error part', after: [[...say('Al'), { type: 'error', error: new Error('overloaded') }, ...answer]] },
  { name: 'cut stream', after: [[...say('Al'), ...reply('', ['slow'], 'toolUse').slice(0, -1)]] },
  { name: 'cancelled by the provider', after: [reply('Al', ['slow'], 'cancelled')] },
  { name: 'timeout of the provider', after: [reply('Al', [], 'timeout')] },
  { name: 'missing call', after: [reply('I will call.', [], 'toolUse'), answer] },
  { name: 'empty reply', after: [reply('', [], 'endTurn'), answer] },
  { name: 'hang', after: [] },
]

/** Turns that end in each way in which a model can stop. */
export const scenarios: readonly Scenario[] = FOLLOW_UPS.map(({ name, after }) => ({ name, script: [three, ...after] }))

const schema = z.object({ n: z.number() })
const long = 'All of this was said at length. '.repeat(60)

/** A turn whose answer is what its tools brought. */
export const passthrough: Scenario = {
  ...{ name: 'results that are the answer', script: [three] },
  options: { toolResultMode: 'passthrough' },
}

/** Turns that wait for people. */
export const peopleScenarios: readonly Scenario[] = [
  { name: 'decided one by one', script: [three, answer], people: 'one by one' },
  {
    name: 'one tool after the other, decided one by one',
    ...{ script: [three, answer], people: 'one by one', options: { toolExecution: 'sequential' } },
  },
  { name: 'decided while others run', script: [three, answer], people: 'meanwhile' },
  {
    name: 'decided inside an agent',
    ...{ third: 'agent', people: 'one by one' },
    script: [three, reply('Mine.', ['slow', 'quick'], 'toolUse'), reply('Mine is done.', [], 'endTurn'), answer],
  },
]

/** Turns in which something else than the model and its tools has a part. */
export const specialScenarios: readonly Scenario[] = [
  {
    name: 'errors and retries',
    script: [three, say('Al'), say('Al'), answer],
    options: { retry: { attempts: 3, baseDelayMs: 10, restart: true } },
  },
  { name: 'the cap on iterations', script: [three], options: { maxIterations: 0 } },
  {
    name: 'a last answer over that cap',
    script: [three, answer],
    options: { maxIterations: 0, onMaxIterations: 'answer' },
  },
  { name: 'the time limit of the turn', script: [three], options: { timeouts: { turnMs: 50 } } },
  {
    name: 'an answer that is repaired',
    script: [three, reply('{"n":"x"}', [], 'endTurn'), reply('{"n":1}', [], 'endTurn')],
    options: { output: structured(schema, { policy: 'always' }) },
  },
  {
    name: 'a finaliser and a repair',
    script: [three, answer, reply('{"n":', [], 'endTurn'), reply('{"n":1}', [], 'endTurn')],
    options: { output: structured(schema, { policy: 'final' }) },
  },
  {
    name: 'an answer tool, missed once',
    script: [three, callAnswer('{"n":"x"}'), callAnswer('{"n":1}')],
    options: { output: structured(schema, { policy: 'tool' }) },
  },
  {
    name: 'a call that is repaired',
    script: [[call('Quik', 0), call('slow', 1), call('nobody', 2), { type: 'finish', stopReason: 'toolUse' }], answer],
    options: {
      repairToolCall: async ({ call: { toolName } }) => {
        await null
        return toolName === 'Quik' ? { toolName: 'quick' } : undefined
      },
    },
  },
  {
    name: 'an agent as a tool',
    third: 'agent',
    script: [three, reply('Mine.', ['slow', 'quick'], 'toolUse'), reply('Mine is done.', [], 'endTurn'), answer],
  },
  {
    name: 'a summary',
    script: [
      [...say(long), ...three],
      reply('', ['quick', 'slow'], 'toolUse'),
      reply('It was long.', [], 'endTurn'),
      answer,
    ],
    options: { compaction: autoCompaction({ window: 800, when: ({ messages }) => messages.length >= 5 }) },
  },
]

function callAnswer(inputText: string): Reply {
  return [
    { type: 'tool-call', id: 'answer', toolName: 'final_answer', inputText },
    { type: 'finish', stopReason: 'toolUse' },
  ]
}
