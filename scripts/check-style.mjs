import { basename } from 'node:path'
import ts from 'typescript'
import { isMain, report, repository } from './report.mjs'
import { lineOf, readSources, readUnits } from './workspace.mjs'

const LIMITS = { file: 300, index: 180, function: 60 }
const VAGUE = new Set(['type', 'types', 'util', 'utils', 'helper', 'helpers', 'common', 'misc', 'shared'])

/** Tables and recorded data, which may be longer than code. Each with its reason. @type {ReadonlySet<string>} */
const LONG_FILES = new Set([])

/**
 * Check names and lengths of source files, and that every export of a package says what it does for its caller.
 *
 * @param {string} root
 * @returns {string[]} One line per problem.
 */
export function checkStyle(root) {
  const sources = readSources(root, readUnits(root))
  return sources.flatMap((source) => [
    ...nameProblems(source.path),
    ...laxRenders(source),
    ...(source.area === 'src' ? [...lengthProblems(source), ...silentExports(source)] : []),
  ])
}

/** @param {string} path */
function nameProblems(path) {
  const name = basename(path).replace(/(\.(test|test-d|spec|d|worker|browser))*\.tsx?$/, '')
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [`${path}:1 is not in kebab-case`]
  return VAGUE.has(name) ? [`${path}:1 has a name that says nothing: name it after its main export`] : []
}

/**
 * React is tested under StrictMode: by the `strict-render.ts` of a package, which alone imports the renderer.
 *
 * @param {import('./workspace.mjs').Source} source
 */
function laxRenders({ path, syntax }) {
  const isStrict = basename(path) === 'strict-render.ts'
  const imported = syntax.statements.find(
    (statement) =>
      ts.isImportDeclaration(statement) && /vitest-browser-react/.test(statement.moduleSpecifier.getText(syntax)),
  )
  if (imported === undefined || isStrict) return []
  return [`${path}:${lineOf(syntax, imported)} renders without StrictMode: import render from strict-render.ts`]
}

/** @param {import('./workspace.mjs').Source} source */
function lengthProblems({ path, syntax }) {
  /** @type {string[]} */
  const problems = []
  const limit = /\/src\/index\.ts$/.test(path) ? LIMITS.index : LIMITS.file
  const lines = syntax.getLineAndCharacterOfPosition(syntax.end).line
  if (lines > limit && !LONG_FILES.has(path))
    problems.push(`${path}:1 has ${lines} lines, more than ${limit}: split it`)
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    const first = lineOf(syntax, node)
    const length = syntax.getLineAndCharacterOfPosition(node.end).line + 2 - first
    if (ts.isFunctionLike(node) && length > LIMITS.function) {
      problems.push(`${path}:${first} a function of ${length} lines, more than ${LIMITS.function}: split it`)
    }
    ts.forEachChild(node, visit)
  }
  visit(syntax)
  return problems
}

/** @param {import('./workspace.mjs').Source} source */
function silentExports({ path, syntax, unit }) {
  if (!unit.folder.startsWith('packages/') || path.endsWith('/src/index.ts')) return []
  const silent = syntax.statements.filter(
    (statement) => isExported(statement) && ts.getJSDocCommentsAndTags(statement).length === 0,
  )
  // Of an overloaded function the first signature speaks for all.
  return silent
    .filter((statement) => !isOverload(statement, syntax.statements[syntax.statements.indexOf(statement) - 1]))
    .map((statement) => `${path}:${lineOf(syntax, statement)} exports something without a docstring`)
}

/** @param {import('typescript').Statement} statement @param {import('typescript').Statement | undefined} before */
function isOverload(statement, before) {
  if (before === undefined || !ts.isFunctionDeclaration(statement) || !ts.isFunctionDeclaration(before)) return false
  return before.body === undefined && before.name?.text === statement.name?.text
}

/** @param {import('typescript').Statement} statement */
function isExported(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
  return modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
}

if (isMain(import.meta.url)) report('names, lengths and docstrings are in order', checkStyle(repository))
