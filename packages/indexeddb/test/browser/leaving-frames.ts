import type { Entry } from '@turnloop/core'

/** What a frame is told, as data of its element. */
export interface LeavingFrame {
  name?: string
  moment?: string
  commits?: string
}

/** An entry that a frame writes. */
export function entryOf(sequence: number): Entry {
  return { sequence, at: 1, type: 'state-changed', patch: { by: 'frame' } }
}

/** Run a script in a frame until it removes that frame. */
export function frameRemoved(script: URL, data: LeavingFrame): Promise<void> {
  const frame = document.createElement('iframe')
  Object.assign(frame.dataset, data)
  document.body.append(frame)
  const element = document.createElement('script')
  element.type = 'module'
  element.src = script.href
  frame.contentDocument?.body.append(element)
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (frame.isConnected) return
      observer.disconnect()
      resolve()
    })
    observer.observe(document.body, { childList: true })
  })
}
