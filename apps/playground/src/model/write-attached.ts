import { formatNumber } from './format-value.ts'
import { escapeMarkdown } from './markdown-table.ts'
import type { FileWish, SeenFile } from './read-attached.ts'
import { paragraphs } from './script-parts.ts'

/** Say what came with a question, and what can be said of it by rules: sizes, counts, first lines. */
export function writeFiles(files: readonly SeenFile[], wish: FileWish): string {
  const images = files.filter(({ kind }) => kind === 'image')
  const texts = files.filter(({ text }) => text !== undefined)
  const others = files.filter(({ kind, text }) => kind !== 'image' && text === undefined)
  return paragraphs([
    ...texts.map((file) => writeText(file, wish)),
    images.length === 0 ? undefined : writeImages(images),
    others.length === 0 ? undefined : `I cannot read ${others.map(nameOf).join(', ')}.`,
    texts.length > 0 && wish.ask === 'look'
      ? `I can count words and show first lines; I do not understand ${texts.length === 1 ? 'it' : 'them'}.`
      : undefined,
  ])
}

/** Say that files were left out of an answer that did without them. */
export function leftOutWords(files: readonly SeenFile[]): string | undefined {
  if (files.length === 0) return undefined
  return `I did not look at ${files.map(nameOf).join(', ')}: ask for its words or its first lines.`
}

function writeImages(images: readonly SeenFile[]): string {
  const [first] = images
  const count = images.length === 1 ? 'one image' : `${images.length} images`
  const sizes = images.map((file) => `${nameOf(file)}, ${sizeOf(file)}`)
  const told =
    images.length === 1 && first !== undefined ? `${count}: ${sizes[0]}.` : `${count}:\n\n- ${sizes.join('\n- ')}`
  const cannot = `I cannot look into ${images.length === 1 ? 'it' : 'them'}: I am rules, no AI.`
  return images.length === 1 ? `I see ${told} ${cannot}` : `I see ${told}\n\n${cannot}`
}

function sizeOf({ image, detail }: SeenFile): string {
  return image === undefined ? detail : `${image.width} × ${image.height}, ${detail}`
}

function writeText(file: SeenFile, wish: FileWish): string {
  const { text = '', detail } = file
  const lines = text.split(/\r?\n/)
  const words = text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0
  const counted = `${counts(words, 'word')} in ${counts(lines.length, 'line')}`
  if (wish.ask === 'count')
    return `${nameOf(file)} has **${counts(words, 'word')}** in ${counts(lines.length, 'line')}.`
  const shown = wish.ask === 'lines' ? wish.count : 3
  const start = quoted(lines.filter((line) => line.trim() !== '').slice(0, shown))
  if (wish.ask === 'lines') return `${nameOf(file)} begins:\n\n${start}`
  return `I see ${nameOf(file)} (${escapeMarkdown(detail)}): ${counted}. It begins:\n\n${start}`
}

const LONGEST_LINE = 400

/** Lines as they stand, whatever marks are in them. */
function quoted(lines: readonly string[]): string {
  const cut = lines.map((line) => (line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`))
  return ['````text', ...cut.map((line) => line.replaceAll('````', '``` `')), '````'].join('\n')
}

function nameOf({ name }: SeenFile): string {
  return `**${escapeMarkdown(name)}**`
}

function counts(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
