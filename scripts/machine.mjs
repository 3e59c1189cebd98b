import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The machine that this runs on, to those that set up browsers on it. */
export const thisMachine = {
  /** @param {readonly string[]} command @returns {boolean} Whether it ended with 0. */
  run: ([command = '', ...rest]) => {
    console.log(`Browser: none found; running ${[command, ...rest].join(' ')}`)
    const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000', DEBIAN_FRONTEND: 'noninteractive', ...process.env }
    return spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0
  },
  isRoot: process.getuid?.() === 0,
  hasApt: existsSync('/usr/bin/apt-get'),
  isCi: process.env.CI !== undefined,
}
