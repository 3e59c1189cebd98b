import { posix } from 'node:path'
import { CORE_PACKAGES } from './layers.mjs'

/**
 * What is wrong with importing a package from a file, or `undefined`.
 *
 * @param {import('./workspace.mjs').Source} source
 * @param {string} specifier
 * @param {{ units: readonly import('./workspace.mjs').Unit[], shared: Record<string, string> }} workspace `shared`: the
 *   packages that every test may use.
 * @returns {string | undefined}
 */
export function packageProblem(source, specifier, { units, shared }) {
  if (specifier.startsWith('node:')) return source.area === 'src' ? `${specifier} does not exist in a page` : undefined
  const depth = specifier.startsWith('@') ? 2 : 1
  const name = specifier.split('/').slice(0, depth).join('/')
  const sibling = units.find((unit) => unit.manifest.name === name)
  if (sibling === undefined && name.startsWith('@turnloop/')) return `${name} is no package of this workspace`
  if (sibling === undefined) return strangerProblem(source, name, shared)
  const entry = `.${specifier.slice(name.length)}`
  if (!(entry in (sibling.manifest.exports ?? {}))) return `${specifier} is no published entry point`
  return siblingProblem(source, sibling)
}

/** @param {import('./workspace.mjs').Source} source @param {import('./workspace.mjs').Unit} sibling */
function siblingProblem({ unit, area }, sibling) {
  if (unit.folder.startsWith('apps/')) return undefined
  const name = sibling.manifest.name
  if (area !== 'src') {
    const allowed = name === '@turnloop/core' || name === '@turnloop/testing' || sibling === unit
    return allowed ? undefined : `${name} is beside this package: a test may import core, testing and its own package`
  }
  if (sibling === unit) return `imports itself by name: import the file`
  if (name !== '@turnloop/core') return `${name} is beside this package: a package may import core alone`
  return name in (unit.manifest.dependencies ?? {}) ? undefined : `${name} is not in the dependencies of ${unit.folder}`
}

/** @param {import('./workspace.mjs').Source} source @param {string} name @param {Record<string, string>} shared */
function strangerProblem({ unit, area, path }, name, shared) {
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = unit.manifest
  const installed = { ...dependencies, ...peerDependencies }
  if (`@types/${name}` in { ...installed, ...devDependencies } && unit.folder.startsWith('apps/')) return undefined
  if (area !== 'src') {
    return name in { ...installed, ...devDependencies, ...shared }
      ? undefined
      : `${name} is in no package.json above it`
  }
  if (!(name in installed)) return `${name} is not in the dependencies of ${unit.folder}`
  if (unit.folder !== 'packages/core') return undefined
  const file = CORE_PACKAGES[name]
  if (file === '*' || file === posix.basename(path, '.ts')) return undefined
  return `core imports ${name}: only ${Object.keys(CORE_PACKAGES).join(' and ')} may be, each where scripts/layers.mjs says`
}
