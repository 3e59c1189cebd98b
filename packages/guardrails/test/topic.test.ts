import { topic } from '@turnloop/guardrails'
import { describe, expect, test } from 'vitest'
import { checkText, tableOf } from './check-text.ts'

test('words that are denied trip it, words that hold them do not', async () => {
  const deny = [
    'ass',
    'stock tip',
    'Glücksspiel',
    'casino*',
    'C++',
    '赌博',
    'ギャンブル',
    '도박',
    'азарт',
    'κίνδυνος',
    'การพนัน',
    '@everyone',
    'кот',
  ]
  const trips = [
    'what an ASS.',
    'a hot stock  tip',
    'stock\ntip!',
    'st\u200bock tip',
    'ｓｔｏｃｋ ｔｉｐ',
    'Ist Glücksspiel erlaubt?',
    'Glu\u0308cksspiel',
    'casinos everywhere',
    'I like C++',
    '我喜欢赌博游戏',
    'ギャンブルが好き',
    '도박을 하고 싶어',
    'это азарт!',
    'ο κίνδυνος',
    'ชอบการพนันมาก',
    'ping @everyone now',
    '(кот)',
  ]
  const passes = [
    'a class of glass',
    'bass, assign, embassy',
    'stock tips',
    'livestock tip',
    'stocktip',
    'Glücksspielautomat',
    'I like C and C#',
    '我喜欢游戏',
    'азартный',
    'скот и котлета',
    'email@everyone.example'.replace('@', ' '),
    '',
  ]

  const { missed, falsely, line } = await tableOf(topic({ deny }), { name: 'topic, deny', trips, passes })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

test('texts without any allowed word trip it', async () => {
  const allow = ['invest*', 'bond', 'pension fund', '股票', '주식']
  const trips = ['a pizza recipe', 'bonded leather', 'pension', 'reinvest', '怎么做披萨', '피자', '']
  const passes = ['Investing in gold', 'a BOND?', 'my pension  fund', '怎么买股票', '주식을 사고 싶어요']

  const { missed, falsely, line } = await tableOf(topic({ allow }), { name: 'topic, allow', trips, passes })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

describe('a judge', () => {
  test('is asked last, and what it denies is off topic', async () => {
    const asked: string[] = []
    const guardrail = topic({ allow: ['stocks'], deny: ['bribe'], judge: (text) => asked.push(text) === 0 })

    expect(await checkText(guardrail, 'pizza')).toMatchObject({ trigger: 'off_topic' })
    expect(await checkText(guardrail, 'bribe for stocks')).toMatchObject({ trigger: 'off_topic' })
    expect(await checkText(guardrail, 'stocks?')).toMatchObject({ trigger: 'off_topic' })
    expect(asked).toEqual(['stocks?'])
  })

  test('gets the signal and lets pass', async () => {
    const { signal } = new AbortController()
    const guardrail = topic({ judge: async (_text, options) => options.signal === signal })

    expect(await checkText(guardrail, 'anything', { signal })).toBeUndefined()
  })

  test('that gives no answer fails the check', async () => {
    // What a page without types may pass.
    const guardrail = topic({ judge: () => undefined as unknown as boolean })

    await expect(checkText(guardrail, 'x')).rejects.toThrow('"judge" must give true or false')
  })

  test('is not asked once the turn was stopped', async () => {
    const guardrail = topic({ judge: () => true })

    await expect(checkText(guardrail, 'x', { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })
})

test('of a growing text only what is denied is looked at', async () => {
  const guardrail = topic({ allow: ['stocks'], deny: ['bribe'], judge: () => false })

  expect(await checkText(guardrail, 'hello', { isPartial: true })).toBeUndefined()
  expect(await checkText(guardrail, 'a bribe is', { isPartial: true })).toMatchObject({ trigger: 'off_topic' })
})

test.each([
  [{}, 'give "allow", "deny", "judge" or several of them'],
  [{ allow: 'x' }, '"allow" must be a list of texts that are not empty'],
  [{ deny: ['*'] }, 'the word "*" has no letters'],
  [{ judge: true }, '"judge" must be a function'],
])('options that cannot work are refused: %j', (options, message) => {
  // What a page without types may pass.
  expect(() => topic(options as object)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: `topic: ${message}.` }),
  )
})
