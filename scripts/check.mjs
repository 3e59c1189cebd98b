import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './report.mjs'
import { runSteps, tableOf } from './steps.mjs'
import { REPORTERS } from './vitest-report.mjs'

// Everything that can be known without a browser. Two at once: more only queue up on the cores of a small machine.
const WIDTH = 2
const cache = join(repository, 'node_modules/.cache/turnloop')
mkdirSync(cache, { recursive: true })

/** What `npm test` counts with; not when a person runs the check. */
const counted = process.env.TURNLOOP_REPORT ? REPORTERS : []

/** @param {string} project @returns {import('./steps.mjs').Step} */
const typesOf = (project) => {
  // What has not changed since the last run is not checked again.
  const state = join(cache, `${project.replaceAll('/', '-')}.tsbuildinfo`)
  return {
    name: `types of ${project}`,
    command: ['node_modules/typescript/bin/tsc', '-p', project, '--incremental', '--tsBuildInfoFile', state],
  }
}

const results = await runSteps(
  [
    { name: 'unit tests', command: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...counted] },
    // The packages in one go: each by itself would check core once more.
    ...['scripts/tsconfig.packages.json', 'apps/playground', 'apps/examples', 'scripts'].map(typesOf),
    { name: 'snippets and links of the documents', command: ['scripts/check-snippets.mjs'] },
    {
      name: 'format and lint',
      command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    },
    { name: 'sizes', command: ['scripts/check-size.mjs'] },
    { name: 'API reference', command: ['scripts/check-api.mjs'] },
    { name: 'imports', command: ['scripts/check-imports.mjs'] },
    { name: 'names, lengths, docstrings', command: ['scripts/check-style.mjs'] },
  ],
  WIDTH,
)

for (const { name, output } of results.filter((result) => !result.ok)) console.log(`\n--- ${name}\n${output.trim()}\n`)
console.log(tableOf(results))
process.exitCode = results.every((result) => result.ok) ? 0 : 1
