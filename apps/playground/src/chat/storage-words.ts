import type { StorageStatus } from '@turnloop/core'
import { plural } from '../app/format.ts'

/** What is offered where a conversation is not kept. */
export type StorageOffer = 'make-room' | 'try-again' | 'export' | 'reload'

/** What a storage state means for people, and the ways on. */
export interface StorageText {
  /** `quiet`: nothing is amiss with what is kept. */
  readonly tone: 'quiet' | 'warn'
  readonly text: string
  readonly offers: readonly StorageOffer[]
}

/** What a storage state means for the conversation; `undefined` when all is well. */
export function storageWords(storage: StorageStatus): StorageText | undefined {
  switch (storage.state) {
    case 'ready':
      if (storage.wasEvicted) return EVICTED
      return storage.isUnshared ? UNSHARED : undefined
    case 'memory':
      return { tone: 'quiet', text: 'This conversation is kept only until the page is closed.', offers: ['export'] }
    case 'degraded':
      return {
        tone: 'warn',
        text: `Saving takes longer than it should. ${waitingWords(storage)} and will be tried again.`,
        offers: ['try-again'],
      }
    case 'full':
      return {
        tone: 'warn',
        text: `There is no room left in this browser. ${waitingWords(storage)}; once there is room they are saved.`,
        offers: ['make-room', 'try-again', 'export'],
      }
    case 'blocked':
      return blockedText(storage)
    case 'lost':
      return lostText(storage)
  }
}

const UNSHARED: StorageText = {
  tone: 'quiet',
  text: 'This browser cannot share a conversation between tabs: use it in one tab at a time.',
  offers: [],
}

const EVICTED: StorageText = {
  tone: 'warn',
  text: 'The browser has deleted the conversations that were kept here. Settings, Storage: ask it to keep them from now on.',
  offers: [],
}

function waitingWords({ waiting }: StorageStatus): string {
  return waiting === 1 ? 'The last step waits in this tab' : `The last ${plural(waiting, 'step')} wait in this tab`
}

function blockedText({ reason }: StorageStatus): StorageText {
  if (reason === 'newer-version')
    return {
      tone: 'warn',
      text: 'A newer version of this page has written this conversation. Reload to go on with it.',
      offers: ['reload'],
    }
  if (reason === 'blocked-by-other-tab')
    return {
      tone: 'warn',
      text: 'Another tab still has an older version of this page open. Close it, and saving goes on.',
      offers: ['try-again', 'export'],
    }
  return {
    tone: 'warn',
    text: 'The browser does not let this page save, as in some private windows. The conversation is kept until the tab is closed.',
    offers: ['try-again', 'export'],
  }
}

function lostText({ waiting }: StorageStatus): StorageText {
  const rest = waiting > 0 ? ` What this tab has not saved is lost by that: export it first if it matters.` : ''
  return {
    tone: 'warn',
    text: `What is stored of this conversation has changed elsewhere: another tab has taken it over, or it was deleted. Reload to see how it stands.${rest}`,
    offers: waiting > 0 ? ['reload', 'export'] : ['reload'],
  }
}
