/** Whether a character is a letter, digit or underscore of ASCII: scripts without spaces are no border's business. */
export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character)
}

/** Whether a character is one of the ten digits. */
export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/**
 * Whether a stretch stands alone: no letter or digit touches it, and no digit is joined to it by one of `joiners`.
 */
export function standsAlone(text: string, start: number, { end, joiners }: { end: number; joiners: string }): boolean {
  if (isWordCharacter(text[start - 1]) || isWordCharacter(text[end])) return false
  const isJoined = (joiner: string | undefined, beyond: string | undefined): boolean =>
    joiner !== undefined && joiners.includes(joiner) && isDigit(beyond)
  return !isJoined(text[start - 1], text[start - 2]) && !isJoined(text[end], text[end + 1])
}
