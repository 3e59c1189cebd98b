/**
 * Counts what a turn really did, so that a peer that skips work is found out, and notes when the model was asked.
 *
 * A peer calls `modelCall` in its mock model and `event` for each item that its public stream hands to a reader; its tool
 * is `createTool`'s.
 */
export class Probe {
  events = 0
  text = 0
  toolRuns = 0
  running = 0
  mostRunning = 0
  /** How many messages each request had. @type {number[]} */
  prompts = []
  /** `performance.now()` at each request. @type {number[]} */
  askedAt = []

  /** @param {number} promptLength */
  modelCall(promptLength) {
    this.askedAt.push(performance.now())
    this.prompts.push(promptLength)
  }

  /** @param {string} [delta] The text that came with it. */
  event(delta) {
    this.events++
    if (delta !== undefined) this.text += delta.length
  }
}

/**
 * The one tool of every workload: no work, or a timer.
 *
 * @template Result
 * @param {Probe} probe
 * @param {number} delayMs
 * @param {Result} result
 * @returns {() => Promise<Result>}
 */
export function createTool(probe, delayMs, result) {
  return async () => {
    probe.toolRuns++
    probe.running++
    probe.mostRunning = Math.max(probe.mostRunning, probe.running)
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    probe.running--
    return result
  }
}
