import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firefox, webkit } from 'playwright'
import { findEngines } from './engines/engines.mjs'
import { ensureEngines } from './engines/ensure-engines.mjs'
import { thisMachine } from './machine.mjs'

// The browser tests once more, in Firefox and WebKit: `npm run test:engines`, with Vitest's own arguments after `--`.

/** @param {import('./engines/engines.mjs').Engine} engine */
const start = async ({ name, by, launch }) => {
  if (by === 'webdriver') return
  const browser = await { firefox, webkit }[name].launch(launch)
  // A driver and a browser of different ages meet here at the latest.
  await browser.newPage().finally(() => browser.close())
}

const { ready, skipped } = await ensureEngines({ ...thisMachine, find: findEngines, start })
for (const line of skipped) console.log(line)
const { TURNLOOP_REPORTS } = process.env
if (TURNLOOP_REPORTS) writeFileSync(join(TURNLOOP_REPORTS, 'skipped.json'), JSON.stringify(skipped))
if (ready.length > 0) {
  const projects = ready.flatMap(({ name }) => [`--project=${name}`, `--project=${name}-unit`])
  // A page at a time: these engines start workers slowly where several pages share two cores.
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...projects, ...process.argv.slice(2)]
  process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1
}
