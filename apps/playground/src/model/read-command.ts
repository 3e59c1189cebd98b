import type { TableInfo } from '../data/table-info.ts'
import type { Intent } from './intent.ts'
import { readExport } from './read-export.ts'
import { readToolCommand } from './read-tool-command.ts'

/** Understand what is not a question about data: greetings, notes, sums, demonstrations. */
export function readCommand(text: string, tables: readonly TableInfo[]): Intent | undefined {
  const plain = text.trim().replace(/\s+/g, ' ')
  return (
    readSmallTalk(plain) ??
    // With its line breaks: code has comments that end with one.
    readToolCommand(text) ??
    readNote(plain) ??
    readExport(plain, tables) ??
    readDemonstration(plain) ??
    readSum(plain) ??
    (isAboutTables(plain, tables) ? { kind: 'list-tables' } : undefined)
  )
}

function readSmallTalk(text: string): Intent | undefined {
  if (/^(hi|hello|hey|hiya|good (morning|afternoon|evening)|greetings)( there)?[\s.!,]*$/i.test(text))
    return { kind: 'greeting' }
  if (
    /^(thanks?|thank you|thx|cheers|great|nice|cool|perfect|ok(ay)?|got it)( you| a lot| very much| so much)?[\s.!]*$/i.test(
      text,
    )
  ) {
    return { kind: 'thanks' }
  }
  const help =
    /^(help( me)?|\?+|what can you do|what (else )?can i (ask|do)|how does this work|who are you|what are you|are you (an )?(ai|real|human|a bot).*|which model.*)[\s?!.]*$/i
  return help.test(text) ? { kind: 'help' } : undefined
}

function readNote(text: string): Intent | undefined {
  const find =
    /^(?:what|which) (?:did|have|had) (?:i|you|we) (?:noted?|written|wrote?|write|saved?|remembered|remember|kept|keep)(?: down)?(?: (?:about|on|for|of) (.+?))?[\s?.!]*$/i.exec(
      text,
    ) ??
    /^(?:(?:find|show|list|search|read|get|see|open)(?: me)?(?: all)? )?(?:(?:my|the|all|any) )*notes?(?: (?:about|on|for|with|of) (.+?))?[\s?.!]*$/i.exec(
      text,
    ) ??
    /^(?:do i have|are there)(?: any)? notes?(?: (?:about|on|for) (.+?))?[\s?.!]*$/i.exec(text)
  if (find !== null) return { kind: 'find-notes', ...(find[1] !== undefined && { query: withoutArticle(find[1]) }) }
  const last = /^(?:please )?(?:note|save|remember|keep|write down) (?:that|this|it)(?: down)?(?: as a note)?[\s.!]*$/i
  if (last.test(text)) return { kind: 'save-note' }
  const save =
    /^(?:please )?(?:note|remember|write down|keep in mind|jot down)(?: down)?(?: that\b|:| -)?\s+(.+)$/i.exec(text) ??
    /^(?:please )?(?:make|take|save|add|write|keep)(?: me)? a note(?: that\b| of| about| to|:)?\s+(.+)$/i.exec(text)
  return save?.[1] === undefined ? undefined : { kind: 'save-note', text: save[1].trim() }
}

function readDemonstration(text: string): Intent | undefined {
  const count = /^(?:please )?(?:slowly )?count(?: slowly)?(?: up)? to (\d+)(?: slowly)?[\s.!]*$/i.exec(text)
  if (count !== null) return { kind: 'slow-count', to: Math.min(1_000, Math.max(1, Number(count[1]))) }
  if (/^(?:please )?ask me (?:something|a question|first|what to note(?: down)?)[\s.!?]*$/i.test(text))
    return { kind: 'ask-me' }
  const fail =
    /^(?:please )?(?:(?:fail|crash|break)(?: something)?(?: on purpose)?|(?:throw|show|make|cause)(?: me)? an error)[\s.!]*$/i
  return fail.test(text) ? { kind: 'fail' } : undefined
}

const SPOKEN: readonly (readonly [words: RegExp, sign: string])[] = [
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\b(?:the )?square root of (\d+(?:\.\d+)?)/gi, 'sqrt($1)'],
  [/\bto the power of\b/gi, '^'],
  [/\bsquared\b/gi, '^2'],
  [/(?<=\d)\s*x\s*(?=\d)/gi, '*'],
]

function readSum(text: string): Intent | undefined {
  const asked = text.replace(
    /^(?:please )?(?:what(?:'s| is| are)|how much is|calculate|compute|work out|evaluate|solve)\s+/i,
    '',
  )
  const written = SPOKEN.reduce((line, [words, sign]) => line.replace(words, sign), asked).replace(/[\s?=.!]+$/, '')
  const isMath =
    /^(?:[\d\s.,+\-−–*/^()%×÷·<>]|\b(?:percent|of|off|sqrt|round|abs|log10|log2|log|exp|sin|cos|tan|pi|min|max|mod|cbrt|floor|ceil)\b)+$/i
  const hasWork = /\d\s*(?:[-+*/^×÷·−–<>]|mod\b)\s*[\d(a-z]|(?:%|percent)\s+(?:of|off)\s|\w+\(/i
  return isMath.test(written) && hasWork.test(written) ? { kind: 'calculate', expression: written.trim() } : undefined
}

function isAboutTables(text: string, tables: readonly TableInfo[]): boolean {
  const asks =
    /^(?:please )?(?:(?:list|show)(?: me)?|what|which)\b.*\b(?:tables|data ?sets|data|files)\b(?: (?:are there|do (?:you|i|we) have|is there|are loaded|have you got|can (?:you|i) use))?[\s?.!]*$/i
  const names = tables.flatMap((table) => [table.name, table.label])
  return asks.test(text) && !names.some((name) => text.toLowerCase().includes(name.toLowerCase()))
}

function withoutArticle(text: string): string {
  return text.replace(/^(?:the|my|an?)\s+/i, '')
}
