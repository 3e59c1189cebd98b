import { nextFrame } from './page.ts'

/** What the devtools draw, inside their shadow root. */
export function devtools(): ShadowRoot {
  const root = document.querySelector('[data-turnloop-devtools]')?.shadowRoot
  if (root == null) throw new Error('The devtools are not drawn.')
  return root
}

/** The one element that matches and has this name, by its label or its text. */
export function find(selector: string, name?: string): HTMLElement {
  const all = [...devtools().querySelectorAll<HTMLElement>(selector)]
  const found = name === undefined ? all : all.filter((element) => nameOf(element) === name)
  const [first] = found
  if (first === undefined)
    throw new Error(`There is no ${selector} "${name}" among: ${all.map(nameOf).join(', ') || 'none'}`)
  return first
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent?.trim() ?? ''
}

/** Click as a person would. */
export async function click(selector: string, name?: string): Promise<void> {
  find(selector, name).click()
  await nextFrame()
}

/** Press keys on an element that has the focus. */
export async function press(element: HTMLElement, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    element.focus()
    element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }))
    await nextFrame()
  }
}

/** Write into a field, as React hears it. */
export async function write(field: HTMLElement, value: string): Promise<void> {
  const prototype = field instanceof HTMLSelectElement ? HTMLSelectElement.prototype : HTMLInputElement.prototype
  // The element's own setter is React's, which would take this for its own doing.
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  await nextFrame()
}

/** The text of each row of the list that is shown. */
export function rows(): string[] {
  return [...devtools().querySelectorAll('[role=option]')].map((row) => row.textContent ?? '')
}

/** Give a file to the panel's file field. */
export async function openFile(text: string): Promise<void> {
  const field = find('input[type=file]')
  if (!(field instanceof HTMLInputElement)) throw new Error('no file field')
  const transfer = new DataTransfer()
  transfer.items.add(new File([text], 'session.json', { type: 'application/json' }))
  field.files = transfer.files
  field.dispatchEvent(new Event('change', { bubbles: true }))
}
