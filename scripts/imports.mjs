import ts from 'typescript'
import { lineOf } from './workspace.mjs'

/**
 * @typedef {object} Import
 * @property {string} specifier
 * @property {number} line
 * @property {boolean} everything Whether it is `export * from`.
 */

/**
 * Everything a file imports or re-exports from elsewhere: types, dynamic imports and mocks of modules included.
 *
 * @param {import('typescript').SourceFile} syntax
 * @returns {Import[]}
 */
export function importsOf(syntax) {
  /** @type {Import[]} */
  const found = []
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    const target = targetOf(node)
    if (target !== undefined && ts.isStringLiteralLike(target)) {
      found.push({ specifier: target.text, line: lineOf(syntax, node), everything: isExportAll(node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(syntax)
  return found
}

/** @param {import('typescript').Node} node @returns {import('typescript').Node | undefined} */
function targetOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return undefined
}

/** @param {import('typescript').Node} node */
function isExportAll(node) {
  return ts.isExportDeclaration(node) && node.exportClause === undefined
}

/**
 * The cycles of a graph, each as a path that ends where it began.
 *
 * Walks depth first and reports each edge back into the path walked so far, so every cycle is found through at least
 * one of its edges, and none is reported twice.
 *
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @returns {string[][]}
 */
export function cyclesOf(graph) {
  /** @type {string[][]} */
  const cycles = []
  const done = new Set()
  /** @type {string[]} */
  const path = []
  /** @param {string} node */
  const walk = (node) => {
    const start = path.indexOf(node)
    if (start >= 0) cycles.push([...path.slice(start), node])
    if (start >= 0 || done.has(node)) return
    path.push(node)
    for (const next of graph.get(node) ?? []) walk(next)
    path.pop()
    done.add(node)
  }
  for (const node of graph.keys()) walk(node)
  return cycles
}
