import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bench } from './places.mjs'

/**
 * Install the peers, if this folder's package.json asks for another version than the one that is there.
 *
 * Without their install scripts, and into this folder only: the project's own installation stays as it is. Throws if npm
 * fails.
 */
export function installPeers() {
  /** @type {Record<string, string>} */
  const wanted = JSON.parse(readFileSync(join(bench, 'package.json'), 'utf8')).dependencies
  const missing = Object.entries(wanted).filter(([name, version]) => installedVersion(name) !== version)
  if (missing.length === 0) return
  console.error(`Installing ${missing.map(([name, version]) => `${name}@${version}`).join(', ')} into scripts/bench`)
  const { status } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      bench,
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: bench, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  )
  if (status !== 0) throw new Error('The peers could not be installed: run npm install in scripts/bench to see why.')
}

/** @param {string} name */
function installedVersion(name) {
  const path = join(bench, 'node_modules', name, 'package.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : undefined
}
