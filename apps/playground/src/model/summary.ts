/** How the request for a summary begins; no question does. */
const REQUEST_START = '<conversation>\n'

const MOST_LINES = 12
const MOST_CHARACTERS = 140

/** The conversation that a summary is asked for; `undefined` for any other request. */
export function readSummaryRequest(text: string): string | undefined {
  if (!text.startsWith(REQUEST_START)) return undefined
  return text.slice(REQUEST_START.length, text.lastIndexOf('\n</conversation>'))
}

/**
 * Summarise a conversation by rules, under the headings that a summary is asked for with: what was asked and answered,
 * what failed, and the tables it was about. An older summary is folded in. As short as it can be: it has to be shorter
 * than what it stands for.
 */
export function writeSummary(conversation: string): string {
  const pieces = readPieces(conversation)
  const done = [...pieces.flatMap(linesOfOlder), ...readAnswers(pieces)].slice(-MOST_LINES)
  const asked = pieces.findLast(({ speaker }) => speaker === 'user')?.text
  const failed = pieces.filter(({ speaker }) => /^result of \S+, /.test(speaker))
  const tables = [...new Set(pieces.flatMap(({ text }) => tablesIn(text)))]
  const sections: [heading: string, lines: string[]][] = [
    ['Goals', asked === undefined ? [] : [`Latest request: ${shorten(asked)}`]],
    ['Done', done.map(({ question, answer }) => `“${question}”: ${answer}`)],
    ['Open', failed.slice(-3).map(({ speaker, text }) => `${speaker.slice('result of '.length)}: ${shorten(text)}`)],
    ['Identifiers', tables.length === 0 ? [] : [`Tables: ${tables.join(', ')}`]],
  ]
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `## ${heading}\n${lines.map((line) => `- ${line}`).join('\n')}`)
    .join('\n\n')
}

/** The questions that a summary of this model tells of, oldest first. */
export function questionsIn(summary: string): string[] {
  return readDone(summary).map(({ question }) => question)
}

/** What one of them said or did, as the request writes it down. */
interface Piece {
  readonly speaker: string
  readonly text: string
}

interface DoneLine {
  readonly question: string
  readonly answer: string
}

const SPEAKER = /^\[(user|assistant(?:, cut off)?|older summary|program|result of \S+?(?:, [\w-]+)?)\]$/

function readPieces(conversation: string): Piece[] {
  const pieces: { speaker: string; lines: string[] }[] = []
  for (const line of conversation.split('\n')) {
    const speaker = SPEAKER.exec(line)?.[1]
    if (speaker !== undefined) pieces.push({ speaker, lines: [] })
    else pieces.at(-1)?.lines.push(line)
  }
  return pieces.map(({ speaker, lines }) => ({ speaker, text: lines.join('\n').trim() }))
}

/** Each question with the first paragraph of the last answer to it. */
function readAnswers(pieces: readonly Piece[]): DoneLine[] {
  const answers: { question: string; answer: string }[] = []
  for (const { speaker, text } of pieces) {
    if (speaker === 'user') answers.push({ question: shorten(text).replace(/[“”]/g, '"'), answer: 'not answered' })
    const last = answers.at(-1)
    const words = text.split('\n').filter((line) => !line.startsWith('[calls '))
    if (speaker === 'assistant' && last !== undefined && words.join('') !== '' && !text.includes('\n[calls '))
      last.answer = shorten(words.join('\n').split('\n\n')[0] ?? '')
  }
  return answers
}

function linesOfOlder({ speaker, text }: Piece): DoneLine[] {
  return speaker === 'older summary' ? readDone(text) : []
}

function readDone(summary: string): DoneLine[] {
  return [...summary.matchAll(/^- “([^”]*)”: (.*)$/gm)].map(([, question = '', answer = '']) => ({ question, answer }))
}

/** Tables by how they are named in calls and in an older summary. */
function tablesIn(text: string): string[] {
  const named = [...text.matchAll(/"table":\s*"([^"]+)"|\bFROM\s+(?:\\?")?(\w+)/g)].map(([, a, b]) => a ?? b ?? '')
  const older = /^- Tables: (.*)$/m.exec(text)?.[1]?.split(', ') ?? []
  return [...named, ...older]
}

/** A text on one line, cut at a word. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS).replace(/\s\S*$/, '')}…`
}
