import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { publicNames } from './public-names.mjs'
import { isMain, report, repository } from './report.mjs'
import { readUnits } from './workspace.mjs'

/** @typedef {import('./public-names.mjs').PublicName} PublicName */

/**
 * The API reference of every package, from its docstrings.
 *
 * @param {string} root
 * @returns {Map<string, string>} Markdown by path, like `docs/api/core.md`.
 */
export function apiReference(root) {
  const cache = new Map()
  const packages = readUnits(root).filter(({ folder }) => folder.startsWith('packages/'))
  return new Map(
    packages.map(({ folder, manifest }) => {
      const entries = Object.entries(manifest.exports).map(([entry, targets]) =>
        entryText(manifest.name + entry.slice(1), publicNames(join(root, folder, targets['turnloop-source']), cache)),
      )
      const start = `# ${manifest.name}: every export\n\n${manifest.description} Made from the docstrings by \`npm run fix\`.\n`
      return [`docs/api/${basename(folder)}.md`, [start, ...entries].join('\n')]
    }),
  )
}

/** @param {string} entry @param {readonly PublicName[]} names */
function entryText(entry, names) {
  const [values, types] = [names.filter(({ isType }) => !isType), names.filter(({ isType }) => isType)]
  const lists = [values, types].filter((list) => list.length > 0).map((list) => list.map(linkTo).join(' · '))
  return [`## ${entry}`, ...lists, ...[...values, ...types].map(nameText)].join('\n\n') + '\n'
}

/** @param {PublicName} name */
const linkTo = ({ name }) => `[\`${name}\`](#${name.toLowerCase()})`

/** @param {PublicName} name */
const nameText = ({ name, doc, code }) =>
  [`### \`${name}\``, doc, `\`\`\`ts\n${code}\n\`\`\``].filter(Boolean).join('\n\n')

if (isMain(import.meta.url)) {
  const isWriting = process.argv.includes('--write')
  const stale = [...apiReference(repository)].filter(([path, text]) => {
    const file = join(repository, path)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
    if (isWriting) mkdirSync(join(repository, 'docs/api'), { recursive: true })
    if (isWriting) writeFileSync(file, text)
    return !isWriting
  })
  report(
    'the API reference is up to date',
    stale.map(([path]) => `${path} is out of date: npm run fix`),
  )
}
