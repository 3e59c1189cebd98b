import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { programsIn } from './documents.mjs'
import { repository } from './report.mjs'

// Runs the README's first program in plain Node against the built packages, as someone would who has installed them.
const [program = ''] = programsIn(readFileSync(join(repository, 'README.md'), 'utf8'))
const { ESNext } = ts.ModuleKind
const { outputText } = ts.transpileModule(program, {
  compilerOptions: { module: ESNext, target: ts.ScriptTarget.ES2022 },
})
const folder = join(repository, 'node_modules/.cache/turnloop')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'readme.mjs'), outputText)

/** @type {unknown[]} */
const printed = []
const { log } = console
console.log = (value) => printed.push(value)
await import(pathToFileURL(join(folder, 'readme.mjs')).href)
console.log = log

const answer = JSON.stringify(printed.at(-1))
if (printed.length !== 2 || !answer.includes('21 degrees')) {
  throw new Error(`The README's program printed ${printed.length} messages, the last of them ${answer}`)
}
console.log(`built packages run the README's program: ${answer}`)
