/** What a piece of code wrote to its console, up to a limit; `onText` hears all of it after each line. */
export class ConsoleText {
  text = ''
  readonly #limit: number
  readonly #onText: (text: string) => void
  #isFull = false

  constructor(limit: number, onText: (text: string) => void) {
    this.#limit = limit
    this.#onText = onText
  }

  add(line: string): void {
    if (this.#isFull) return
    const text = this.text === '' ? line : `${this.text}\n${line}`
    this.#isFull = text.length > this.#limit
    this.text = this.#isFull ? `${text.slice(0, this.#limit)}\n(The rest was cut.)` : text
    this.#onText(this.text)
  }

  clear(): void {
    this.text = ''
    this.#isFull = false
  }
}
