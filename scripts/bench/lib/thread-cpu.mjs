import { openSync, readSync } from 'node:fs'

const buffer = Buffer.alloc(128)

/** @returns {number | undefined} */
function openThreadStatistics() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

const statistics = openThreadStatistics()

/** Where `threadCpuMs` reads: the thread's own time where Node or Linux tells it, else that of the whole process. */
export const cpuSource =
  'threadCpuUsage' in process ? 'process.threadCpuUsage' : statistics === undefined ? 'process.cpuUsage' : 'schedstat'

/**
 * CPU time of the main thread in ms, from an arbitrary start: without the helper threads of the collector and the
 * compiler, and without what other processes took meanwhile.
 *
 * Node before 23.9 does not tell it; Linux does. Elsewhere, on such a Node, the helpers' time is in the figure.
 *
 * @returns {number}
 */
export function threadCpuMs() {
  // Linux brings a thread's own figure up to date at its ticks only, but at once when the whole process's is asked for.
  const whole = process.cpuUsage()
  if (cpuSource === 'schedstat' && statistics !== undefined) {
    const length = readSync(statistics, buffer, 0, buffer.length, 0)
    return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
  /** @type {NodeJS.CpuUsage} */
  const usage = 'threadCpuUsage' in process ? /** @type {any} */ (process).threadCpuUsage() : whole
  return (usage.user + usage.system) / 1000
}
