import { chunk, historyTexts } from '../lib/script.mjs'
import { quantile } from '../lib/stats.mjs'
import { incomingDeltas, sentAt } from './deltas.mjs'
import { counts, resetCounts } from './rows.jsx'

/**
 * @typedef {{ id: string, role: 'user' | 'assistant', text: string }} EarlierRow
 *
 * @typedef {object} MountOptions
 * @property {HTMLElement} root
 * @property {readonly EarlierRow[]} history
 * @property {'memo' | 'plain'} rows
 * @property {() => AsyncGenerator<string>} source The pieces of the answer; to be asked for once.
 *
 * @typedef {(options: MountOptions) => (() => unknown) | Promise<() => unknown>} Mount
 *   Renders the transcript, and returns what sends one message.
 */

const EARLIER = 200
const FRAME_MS = 1000 / 60

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/**
 * The page's side of W5, for one peer.
 *
 * @param {Mount} mount
 */
export function createPage(mount) {
  const history = historyTexts(EARLIER).map((row, index) => ({ id: `h${index}`, ...row }))
  const root = /** @type {HTMLElement} */ (document.getElementById('root'))
  const shown = root.getElementsByClassName('row')
  const asked = { times: 0, deltas: 0, paceMs: 0 }
  const source = () => {
    asked.times++
    return incomingDeltas(asked)
  }
  /** @type {() => unknown} */
  let send = () => undefined
  return {
    async open(/** @type {'memo' | 'plain'} */ rows) {
      send = await mount({ root, history, rows, source })
      while (shown.length < EARLIER) await frame()
    },
    async run(/** @type {{ deltas: number, paceMs: number }} */ options) {
      Object.assign(asked, options)
      root.scrollTop = root.scrollHeight
      await frame()
      await frame()
      resetCounts()
      const pace = watchPace()
      const text = Array.from({ length: options.deltas }, (_, index) => chunk(index)).join('')
      const growth = watchGrowth(root, shown, text.length)
      send()
      await growth.whole
      const updates = growth.updates()
      await frame()
      await frame()
      checkWork({ shown, text, history, asked: asked.times })
      return { ...pace(), ...delays(updates, options.deltas), updates: updates.length, ...counts }
    },
  }
}

/** Frames and long tasks from now until the result is called. */
function watchPace() {
  /** @type {number[]} */
  const frames = []
  let isOver = false
  const note = (/** @type {number} */ time) => {
    frames.push(time)
    if (!isOver) requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
  let longestMs = 0
  const noteTasks = (/** @type {readonly PerformanceEntry[]} */ tasks) => {
    for (const { duration } of tasks) longestMs = Math.max(longestMs, duration)
  }
  const observer = new PerformanceObserver((tasks) => noteTasks(tasks.getEntries()))
  observer.observe({ type: 'longtask' })
  return () => {
    isOver = true
    noteTasks(observer.takeRecords())
    observer.disconnect()
    const gaps = frames.slice(1).map((time, index) => time - (frames[index] ?? time))
    const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0)
    return { frames: gaps.length, dropped, longestMs }
  }
}

/** Note when the last row has become how long, until it has `length` characters. @param {HTMLElement} root @param {HTMLCollectionOf<Element>} shown @param {number} length */
function watchGrowth(root, shown, length) {
  /** @type {{ at: number, length: number }[]} */
  const updates = []
  let finish = () => {}
  const whole = new Promise((resolve) => {
    finish = () => resolve(undefined)
  })
  const observer = new MutationObserver(() => {
    const text = shown[shown.length - 1]?.querySelector('p')?.firstChild
    updates.push({ at: performance.now(), length: text?.nodeValue?.length ?? 0 })
    if (updates.at(-1)?.length === length) finish()
  })
  observer.observe(root, { subtree: true, childList: true, characterData: true })
  return {
    whole,
    updates: () => {
      observer.disconnect()
      return updates
    },
  }
}

/** From leaving the worker to standing in the document. @param {readonly { at: number, length: number }[]} updates @param {number} deltas */
function delays(updates, deltas) {
  /** @type {number[]} */
  const all = []
  let end = chunk(0).length
  for (const { at, length } of updates) {
    while (all.length < deltas && end <= length) {
      all.push(at - (sentAt[all.length] ?? at))
      end += chunk(all.length).length
    }
  }
  return { delayP50: quantile(all, 0.5), delayP95: quantile(all, 0.95) }
}

/** A peer that leaves work out fails. @param {{ shown: HTMLCollectionOf<Element>, text: string, history: readonly EarlierRow[], asked: number }} work */
function checkWork({ shown, text, history, asked }) {
  const texts = [...shown].map((row) => row.textContent)
  const wanted = [...history.map((row) => row.text), 'go', text]
  const wrong = wanted.findIndex((row, index) => texts[index] !== row)
  if (asked !== 1) throw new Error(`the model was asked ${asked} times`)
  if (texts.length !== wanted.length) throw new Error(`${texts.length} rows are shown instead of ${wanted.length}`)
  if (wrong >= 0) throw new Error(`row ${wrong} is ${JSON.stringify(texts[wrong]?.slice(0, 80))}`)
}
