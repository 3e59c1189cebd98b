/** A phrase to look for: its family, what it counts, and its regular expression, in which a space may be missing. */
export type Phrase = readonly [family: string, weight: number, source: string]

/** The words of one language for "ignore your previous instructions", unaccented, in lower case. */
export interface OverrideWords {
  readonly verbs: string
  /** Words that may stand in between. */
  readonly fill: string
  /** Words that say whose instructions, of which at least one is needed: instructions on a box are nobody's business. */
  readonly point: string
  readonly objects: string
  /** What is the same without naming instructions: "everything you were told". */
  readonly told: string
  /** Where the verb can come last: its forms there, and what may stand before it. */
  readonly last?: { readonly link: string; readonly verbs: string }
}

/** Everything about one language. */
export interface LanguagePhrases {
  /** Read as Latin letters, so that letters that only look Latin are found. */
  readonly isLatin: boolean
  /** Words are kept apart by spaces, so a phrase begins and ends where words do. */
  readonly isSpaced: boolean
  readonly override: OverrideWords
  readonly phrases: readonly Phrase[]
}

/** The expression for "ignore your previous instructions" of one language. */
export function overrideSource({ verbs, fill, point, objects, told, last }: OverrideWords): string {
  const any = `(?:(?:${fill}|${point}) ?)`
  const pointed = `${any}{0,5}(?:${point}) ?${any}{0,3}(?:${objects})`
  const after = `(?:(?:${fill}) ?){0,5}(?:${objects}) (?:(?:${fill}) ?){0,3}(?:${point})`
  const atEnd = last === undefined ? '' : `|${pointed} (?:(?:${last.link}) ?){0,3}(?:${last.verbs})`
  return `(?:${verbs}) (?:${pointed}|${after}|${told})${atEnd}`
}

/** Up to so many words of any kind. */
export function words(most: number): string {
  // Its space may not be missing: nothing else tells where a word ends.
  return `(?:[\\p{L}\\d]{1,24}\\x20){0,${most}}`
}
