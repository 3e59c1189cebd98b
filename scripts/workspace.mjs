import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * @typedef {object} Unit A package or an app.
 * @property {string} folder Like `packages/core`.
 * @property {Record<string, any>} manifest Its package.json.
 */

/**
 * @typedef {object} Source One TypeScript file.
 * @property {string} path From the top of the repository, with `/`.
 * @property {Unit} unit
 * @property {string} area The folder inside the unit: `src`, `test`, `e2e`.
 * @property {import('typescript').SourceFile} syntax
 */

/**
 * The packages and apps of the workspace.
 *
 * @param {string} root
 * @returns {Unit[]}
 */
export function readUnits(root) {
  return ['packages', 'apps']
    .flatMap((kind) =>
      existsSync(join(root, kind)) ? readdirSync(join(root, kind)).map((name) => `${kind}/${name}`) : [],
    )
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }))
}

/**
 * Every TypeScript file of the given units, parsed.
 *
 * @param {string} root
 * @param {readonly Unit[]} units
 * @returns {Source[]}
 */
export function readSources(root, units) {
  return units.flatMap((unit) =>
    ['src', 'test', 'e2e'].flatMap((area) =>
      typescriptFiles(root, `${unit.folder}/${area}`).map((path) => ({ path, unit, area, syntax: parse(root, path) })),
    ),
  )
}

/** @param {string} root @param {string} folder @returns {string[]} */
function typescriptFiles(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return typescriptFiles(root, path)
    return /\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/** @param {string} root @param {string} path */
function parse(root, path) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true, kind)
}

/**
 * The line of a node, counted from 1.
 *
 * @param {import('typescript').SourceFile} syntax
 * @param {import('typescript').Node} node
 */
export function lineOf(syntax, node) {
  return syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line + 1
}
