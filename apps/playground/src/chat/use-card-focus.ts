import { type RefObject, useEffect } from 'react'
import { COMPOSER_ID } from '../app/composer-focus.ts'

/**
 * Put the focus on a card when it appears, unless the reader is writing, or busy elsewhere on the page. Where an answer is
 * to be written, it goes to its field, if that brings up no keyboard.
 */
export function useCardFocus(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (isElsewhere(document.activeElement)) return
    const first = card.current?.querySelector<HTMLElement>('[data-answer]')
    const isKeyboardThere = window.matchMedia('(pointer: fine)').matches
    const place = first && isKeyboardThere ? first : card.current
    place?.focus()
  }, [card])
}

function isElsewhere(active: Element | null): boolean {
  if (active === null || active === document.body) return false
  // Where the question was just sent from.
  const isEmptyComposer = active instanceof HTMLTextAreaElement && active.id === COMPOSER_ID && active.value === ''
  return !isEmptyComposer
}
