import type { ContentBlock, FilePart, Message, ModelTool } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateMessageTokens,
  estimateRequestTokens,
  estimateTextTokens,
  estimateToolTokens,
} from '../src/token-estimate.ts'
import { batch, reply, user } from './compaction-setup.ts'

/** What the tokenizers o200k_base and cl100k_base counted, the lower one first. */
type Sample = readonly [what: string, least: number, most: number, text: string]

const plain: readonly Sample[] = [
  [
    'English',
    79,
    79,
    'When the model has answered and asks for nothing more, the turn is over and the person can write again. The story of the small town by the river begins long before anyone had thought of building a bridge; people crossed by boat, paid the ferryman, and carried on towards the market. Nobody remembers how the quarrel started, although everyone agrees that it was about the price of salt.',
  ],
  [
    'code',
    80,
    81,
    "export function joinResults(stored, settled) {\n  const results = stored.calls.flatMap(({ callId, result }) => {\n    const found = settled(callId)\n    if (found === undefined) return []\n    return [{ callId, result: result ?? found.result, status: found.status }]\n  })\n  return Object.freeze({ id: stored.id, role: 'tool', results })\n}\n",
  ],
  [
    'JSON',
    65,
    66,
    '{"type":"object","properties":{"path":{"type":"string","description":"Where the file is, relative to the root of the project."},"limit":{"type":"integer","minimum":1,"maximum":100},"tags":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}',
  ],
  [
    'table',
    173,
    173,
    'id,amount,day,state\n1,0,2026-11-10,open\n2,7919,2026-11-11,open\n3,5831,2026-11-12,open\n4,3743,2026-11-13,open\n5,1655,2026-11-14,open\n6,9574,2026-11-15,open\n7,7486,2026-11-16,open\n8,5398,2026-11-17,open\n9,3310,2026-11-18,open\n10,1222,2026-11-19,open\n11,9141,2026-11-20,open\n12,7053,2026-11-21,open',
  ],
  [
    'base64',
    159,
    165,
    '0yqHqXqb9KVGMld7JTEHyUBepu0LAVJCfJEnl5W/jBcldQn+YGA7YolwenhcPhDVLD41IsdZxvSWLjJJtqHDPoWrx3AcAfxyTB3ZK6g2ST1IsSOyahV+Qwc3i8n0dhj5EQJU29KGeln3zoWPUuC9i7Su2vguiyeEcuhK0ku39r/JiLmABgD9Ia12IDHUKYZPJ262d7DPsfwz/QunmMF3h0XeUkKAQfIEFOEMkHt+rMhd3Dfo',
  ],
  [
    'hex',
    137,
    137,
    'd32a87a97a9bf4a54632577b253107c9405ea6ed0b0152427c91279795bf8c17257509fe60603b6289707a785c3e10d52c3e3522c759c6f4962e3249b6a1c33e85abc7701c01fc724c1dd92ba836493d48b123b26a157e4307378bc9f47618f9110254dbd2867a59f7ce858f52e0bd8bb4aedaf82e8b2784',
  ],
]

const scripts: readonly Sample[] = [
  [
    'Chinese',
    79,
    114,
    '当模型回答完毕并且不再请求任何工具时，这一轮就结束了，用户可以再次输入。小镇的故事始于很久以前，那时还没有人想过要在河上建桥；人们乘船过河，付钱给船夫，然后继续前往集市。没有人记得争吵是如何开始的。',
  ],
  [
    'Japanese',
    69,
    100,
    'モデルが回答を終え、ツールをもう求めなくなったとき、ターンは終わり、利用者は再び書くことができます。川沿いの小さな町の物語は、誰かが橋を架けようと考えるずっと前に始まりました。',
  ],
  [
    'Korean',
    57,
    92,
    '모델이 답변을 마치고 더 이상 도구를 요청하지 않으면 턴이 끝나고 사용자는 다시 입력할 수 있습니다. 강가의 작은 마을 이야기는 누군가 다리를 놓을 생각을 하기 훨씬 전에 시작되었습니다.',
  ],
  [
    'Russian',
    61,
    109,
    'Когда модель ответила и больше ничего не просит, ход окончен, и человек может снова писать. История маленького города у реки начинается задолго до того, как кто-то подумал о строительстве моста; люди переправлялись на лодке и платили перевозчику.',
  ],
  [
    'Czech',
    76,
    102,
    'Když model odpověděl a nic dalšího nechce, kolo končí a člověk může znovu psát. Příběh malého města u řeky začíná dávno předtím, než někoho napadlo postavit most; lidé se převáželi lodí a platili převozníkovi.',
  ],
  [
    'Arabic',
    45,
    115,
    'عندما يجيب النموذج ولا يطلب شيئا آخر تنتهي الجولة ويمكن للشخص أن يكتب مرة أخرى. تبدأ قصة المدينة الصغيرة على النهر قبل وقت طويل من أن يفكر أي شخص في بناء جسر.',
  ],
  [
    'Hindi',
    43,
    156,
    'जब मॉडल ने उत्तर दे दिया हो और कुछ और न माँगे, तो बारी समाप्त हो जाती है और व्यक्ति फिर से लिख सकता है। नदी किनारे के छोटे शहर की कहानी बहुत पहले शुरू होती है।',
  ],
  [
    'Thai',
    56,
    137,
    'เมื่อโมเดลตอบแล้วและไม่ต้องการอะไรอีก รอบก็จบลงและบุคคลสามารถเขียนได้อีกครั้ง เรื่องราวของเมืองเล็กๆ ริมแม่น้ำเริ่มต้นมานานก่อนที่ใครจะคิดสร้างสะพาน',
  ],
  ['emoji', 27, 42, '😀🎉🚀👍🏽👩‍💻🇨🇿✨🔥💡✅❌⚠️'],
]

test.each(plain)('%s is counted to a fifth, and rather high', (_what, least, most, text) => {
  expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(least * 0.9)
  expect(estimateTextTokens(text)).toBeLessThanOrEqual(most * 1.2)
})

test.each(scripts)('%s is counted between what two tokenizers say', (_what, least, most, text) => {
  expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(least)
  expect(estimateTextTokens(text)).toBeLessThanOrEqual(most)
})

test('a text that grows never takes fewer tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, more) => {
      expect(estimateTextTokens(text + more)).toBeGreaterThanOrEqual(estimateTextTokens(text))
    }),
  )
})

test('nothing takes no tokens', () => {
  expect(estimateTextTokens('')).toBe(0)
})

test('a message is counted once: its content is read no second time', () => {
  let reads = 0
  const part = {
    type: 'text' as const,
    get text() {
      reads += 1
      return 'Some text.'
    },
  }
  const message: Message = { id: 'u', role: 'user', createdAt: 0, content: [part] }
  expect(estimateMessageTokens(message)).toBe(estimateMessageTokens(message))
  expect(reads).toBe(1)
})

test('calls, arguments and results all count', () => {
  const [calling, answer] = batch('a', 2, 'word '.repeat(100))
  expect(estimateMessageTokens(answer)).toBeGreaterThan(200)
  expect(estimateMessageTokens(calling)).toBeGreaterThan(2 * estimateTextTokens('search{"query":"rows"}'))
})

function file(mediaType: string, data: FilePart['data']): number {
  return estimateMessageTokens({ id: 'u', role: 'user', createdAt: 0, content: [{ type: 'file', mediaType, data }] })
}

test('a picture counts the same whatever its bytes', () => {
  const [small, large] = [100, 4_000_000].map((length) => file('image/png', { base64: 'A'.repeat(length) }))
  expect([small, file('image/png', { url: 'https://example.org/a.png' })]).toEqual([large, large])
  expect(large).toBeLessThan(2000)
})

test('a file of text counts as its text, a document by its size', () => {
  const text = 'Row after row of numbers and words. '.repeat(1000)
  expect(file('text/plain', { base64: btoa(text) }) / estimateTextTokens(text)).toBeCloseTo(1, 0)
  expect(file('application/pdf', { blob: 'sha', byteLength: 400_000 })).toBeGreaterThan(5000)
})

test('a long text in base64 inside a result is not taken for words', () => {
  const bytes = Array.from({ length: 3000 }, (_, index) => String.fromCharCode((index * 7919 * (index + 3)) % 256))
  const [, answer] = batch('a', 1, btoa(bytes.join('')))
  expect(estimateMessageTokens(answer)).toBeGreaterThan(4000 / 2)
})

function result(content: readonly ContentBlock[], structuredContent?: { rows: number[] }): number {
  const answer = { content, ...(structuredContent && { structuredContent }) }
  const results = [{ callId: 'c', toolName: 'look', status: 'ok' as const, result: answer }]
  return estimateMessageTokens({ id: 't', role: 'tool', createdAt: 0, results })
}

test('each kind of block in a result counts for what is sent of it', () => {
  const image = result([{ type: 'image', data: 'A'.repeat(1_000_000), mimeType: 'image/png' }])
  const embedded = result([{ type: 'resource', resource: { uri: 'file:///a', text: 'word '.repeat(500) } }])
  const link = result([{ type: 'resource_link', uri: 'https://example.org', name: 'example' }])
  expect(image).toBeLessThan(2000)
  expect(embedded).toBeGreaterThan(500)
  expect(link).toBeLessThan(40)
})

test('structured content counts only where there is no text', () => {
  const rows = { rows: Array.from({ length: 500 }, (_, row) => row) }
  const text = { type: 'text', text: 'See the rows.' } as const
  expect(result([text], rows)).toBe(result([text]))
  expect(result([], rows)).toBeGreaterThan(500)
})

test('reasoning counts, also where only its encrypted form is known', () => {
  const encrypted = { openai: { encrypted: 'gAAAAABo'.repeat(500) } }
  const hidden = reply('a', [{ type: 'reasoning', text: '', providerMetadata: encrypted }])
  expect(estimateMessageTokens(hidden)).toBeGreaterThan(300)
  expect(estimateMessageTokens(reply('b', [{ type: 'reasoning', text: 'word '.repeat(300) }]))).toBeGreaterThan(300)
})

const tool: ModelTool = {
  name: 'search',
  description: 'Finds rows.',
  inputSchema: { type: 'object', properties: { query: { type: 'string', description: 'What to look for.' } } },
}

test('a tool counts with its schema, and each by its own description', () => {
  expect(estimateToolTokens(tool)).toBeGreaterThan(estimateTextTokens(JSON.stringify(tool.inputSchema)))
  expect(estimateToolTokens({ ...tool, description: 'word '.repeat(100) })).toBeGreaterThan(
    estimateToolTokens(tool) + 90,
  )
})

test('a request counts all that is sent', () => {
  const bare = { messages: [user('u')], tools: [] }
  const base = estimateRequestTokens(bare)
  expect(base).toBe(estimateMessageTokens(bare.messages[0] ?? user('x')))
  const instructions = 'Answer in Czech.'
  expect(estimateRequestTokens({ ...bare, instructions })).toBe(base + estimateTextTokens(instructions))
  expect(estimateRequestTokens({ ...bare, tools: [tool] })).toBe(base + estimateToolTokens(tool))
  expect(estimateRequestTokens({ ...bare, output: { schema: tool.inputSchema } })).toBeGreaterThan(base + 20)
})
