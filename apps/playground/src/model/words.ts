/** One word of a question: as written, and in the form that is compared. */
export interface Word {
  readonly text: string
  /** Small letters, no accents, singular. */
  readonly key: string
  /** Where it starts and ends in the text. */
  readonly start: number
  readonly end: number
}

const TOKEN =
  /"[^"]*"|“[^”]*”|(?<![\p{L}\p{N}])'[^']*'|-?\d[\d,]*(?:\.\d+)?%?|[\p{L}\p{N}_]+(?:['’][\p{L}]+)?|[<>!=]=?|≥|≤/gu

/** Take a question apart into words, numbers, comparison signs and quoted texts. */
export function toWords(text: string): Word[] {
  return [...text.matchAll(TOKEN)].flatMap((match): Word[] => {
    const [found] = match
    const word = { text: found.replace(/^["“']|["”']$/g, ''), start: match.index, end: match.index + found.length }
    return [{ ...word, key: wordKey(word.text) }]
  })
}

/** The words of a column's or table's name, in the form that is compared: "Weight_in_lbs" gives weight, in, lb. */
export function nameKeys(name: string): string[] {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ')
  return spaced.trim().split(' ').filter(Boolean).map(wordKey)
}

/** A word in the form that is compared. */
function wordKey(word: string): string {
  const plain = word
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/['’]s$/, '')
  return singular(plain)
}

function singular(word: string): string {
  if (word.length <= 3 || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ches|shes|xes|sses)$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}
