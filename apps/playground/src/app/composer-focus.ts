/** The composer's id, which `/` focuses. */
export const COMPOSER_ID = 'composer'

/** Put the caret into the composer. */
export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus()
}

/** Put the caret into the composer where that does not bring up a keyboard over what was asked for. */
export function offerComposer(): void {
  if (window.matchMedia('(pointer: fine)').matches) focusComposer()
}
