import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { cyclesOf, importsOf } from './imports.mjs'
import { CORE_LAYERS } from './layers.mjs'
import { packageProblem } from './package-imports.mjs'
import { isMain, report, repository } from './report.mjs'
import { readSources, readUnits } from './workspace.mjs'

/**
 * Check the direction of every import of the workspace, type imports included, and that there are no cycles.
 *
 * @param {string} root
 * @param {readonly (readonly string[])[]} layers
 * @returns {string[]} One line per problem.
 */
export function checkImports(root, layers = CORE_LAYERS) {
  const units = readUnits(root)
  const shared = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies ?? {}
  const sources = readSources(root, units)
  const graph = new Map()
  const problems = sources.filter((source) => isCore(source.path) && layerOf(source.path, layers) < 0).map(notPlaced)
  for (const source of sources) {
    const imports = importsOf(source.syntax)
    graph.set(
      source.path,
      imports.filter(isRelative).map(({ specifier }) => resolve(source.path, specifier)),
    )
    for (const found of imports) {
      const target = isRelative(found) ? resolve(source.path, found.specifier) : `node_modules/${found.specifier}`
      // A path into node_modules is a package all the same: the way to data files that a package does not export.
      const problem = target.startsWith('node_modules/')
        ? packageProblem(source, target.slice('node_modules/'.length), { units, shared })
        : relativeProblem(source, target, layers)
      if (problem !== undefined) problems.push(`${source.path}:${found.line} ${problem}`)
      if (found.everything) problems.push(`${source.path}:${found.line} export *: list the names instead`)
    }
  }
  return [...problems, ...cyclesOf(graph).map((cycle) => `import cycle: ${cycle.join(' -> ')}`)]
}

/** @param {import('./workspace.mjs').Source} source @param {string} target @param {readonly (readonly string[])[]} layers */
function relativeProblem(source, target, layers) {
  if (!target.startsWith(`${source.unit.folder}/`)) return `reaches out to ${target}: import the package by its name`
  if (source.area === 'src' && !target.startsWith(`${source.unit.folder}/src/`))
    return `src imports ${target}, which is no source`
  if (/(^|\/)index(\.tsx?)?$/.test(target)) return `imports the index ${target}: import the file that has the thing`
  if (!/\.\w+$/.test(target)) return `imports ${target} without its ending: write .ts or .tsx`
  if (source.area !== 'src' || !isCore(source.path)) return undefined
  const [from, to] = [layerOf(source.path, layers), layerOf(target, layers)]
  return from > to && to >= 0
    ? `imports ${target}, which is ${from - to} layer(s) above it (scripts/layers.mjs)`
    : undefined
}

/** @param {import('./workspace.mjs').Source} source */
const notPlaced = ({ path }) => `${path}:1 has no layer: say where it belongs in scripts/layers.mjs`

/** @param {string} path */
const isCore = (path) => path.startsWith('packages/core/src/')

/** @param {string} path @param {readonly (readonly string[])[]} layers */
const layerOf = (path, layers) =>
  layers.findIndex((layer) => layer.includes(posix.basename(path).replace(/\.tsx?$/, '')))

/** @param {{ specifier: string }} found */
const isRelative = ({ specifier }) => specifier.startsWith('.')

/** @param {string} from @param {string} specifier */
const resolve = (from, specifier) => posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''))

if (isMain(import.meta.url)) report('imports point the right way', checkImports(repository))
