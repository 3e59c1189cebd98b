import type { UserPart } from '@turnloop/core'
import { beforeAll, expect, test } from 'vitest'
import { textAttachment } from '../src/attachments/text-attachment.ts'
import { imageBytes, toBase64 } from './image-bytes.ts'
import { type Talk, talk } from './talk.ts'

const PHOTO: UserPart = {
  type: 'file',
  mediaType: 'image/png',
  filename: 'photo.png',
  data: { base64: toBase64(imageBytes.png(320, 200)) },
}
const NOTES = textAttachment({
  name: 'notes.md',
  mediaType: 'text/markdown',
  byteLength: 40,
  text: '# Notes\n\nThe quick brown fox\njumps over it',
})

const asked = (text: string, ...files: UserPart[]): UserPart[] => [{ type: 'text', text }, ...files]

let shared: Talk

beforeAll(async () => {
  shared = await talk()
})

test('an image is told by its size, and that it is not looked into', async () => {
  const { text } = await shared.ask(asked('What is in this picture?', PHOTO))

  expect(text).toBe(
    'I see one image: **photo.png**, 320 × 200, PNG, 29 bytes. I cannot look into it: I am rules, no AI.',
  )
})

test('several images are listed', async () => {
  const { text } = await shared.ask([PHOTO, { ...PHOTO, filename: 'b.png' }])

  expect(text).toMatch(/^I see 2 images:\n\n- \*\*photo\.png\*\*, 320 × 200.*\n- \*\*b\.png\*\*, 320 × 200/)
})

test.each([
  ['how many words are there?', '**notes.md** has **8 words** in 4 lines.'],
  ['show the first 2 lines', '**notes.md** begins:\n\n````text\n# Notes\nThe quick brown fox\n````'],
  ['summarise it', 'I see **notes.md** (Markdown, 40 bytes): 8 words in 4 lines. It begins:'],
  ['', 'I can count words and show first lines; I do not understand it.'],
])('a text is told of by rules: %s', async (question, part) => {
  const input = question === '' ? [NOTES] : asked(question, NOTES)

  expect((await shared.ask(input)).text).toContain(part)
})

test('a question about tables is answered, and the file is not passed over', async () => {
  const { text } = await shared.ask(asked('average horsepower by origin, and chart it', PHOTO))

  expect(text).toContain('| Europe | 81.0 |')
  expect(text).toContain('I did not look at **photo.png**')
})

test('a later question finds a file again by its name', async () => {
  const talking = await talk()
  await talking.ask([NOTES])
  await talking.ask('12 % of 340')

  expect((await talking.ask('how many words has notes.md?')).text).toBe('**notes.md** has **8 words** in 4 lines.')
  expect((await talking.ask('average horsepower')).text).toBe('The average Horsepower is **105.1 hp**.')
})

test('marks in a text do not end the block that shows it', async () => {
  const hostile = textAttachment({ name: 'a.md', mediaType: 'text/markdown', text: '````\n# Heading' })

  expect((await shared.ask(asked('first 2 lines', hostile))).text).toContain('````text\n``` `\n# Heading\n````')
})

test('bytes of a file are not counted as text', async () => {
  const large: UserPart = { ...PHOTO, data: { base64: 'A'.repeat(400_000) } }

  expect((await (await talk()).ask([large])).usage.inputTokens).toBeLessThan(1_000)
})
