import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * @typedef {object} PublicName Something that a package exports.
 * @property {string} name
 * @property {string} doc Its docstring as Markdown.
 * @property {string} code Its declaration, overloads included; members keep their comments.
 * @property {boolean} isType Whether it exists in types alone.
 */

/**
 * What an entry of a package exports, sorted by name.
 *
 * Nothing is type-checked: with isolated declarations the declaration of a file is told from its text alone.
 *
 * @param {string} entry The path of its source.
 * @param {Map<string, import('typescript').SourceFile>} [cache] Declarations by path, for further calls.
 * @returns {PublicName[]}
 */
export function publicNames(entry, cache = new Map()) {
  const { statements } = declarationsOf(entry, cache)
  const names = statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, moduleSpecifier }) => {
    if (!exportClause || !ts.isNamedExports(exportClause)) return []
    const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined
    return exportClause.elements.map(({ name, propertyName }) => ({
      name: name.text,
      found: from?.startsWith('.') ? findName(join(dirname(entry), from), propertyName ?? name, cache) : [],
    }))
  })
  const own = statements.filter(isExported).flatMap((statement) => namesOf(statement))
  const all = [...names, ...own.map((name) => ({ name, found: findText(entry, name, cache) }))]
  const lost = all.find(({ found }) => found.length === 0)
  if (lost !== undefined) throw new Error(`${entry}: the declaration of ${lost.name} is not in a file of its package`)
  return all.map(({ name, found }) => toPublicName(name, found)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** @param {string} path @param {import('typescript').ModuleExportName} name @param {Map<string, ts.SourceFile>} cache */
const findName = (path, name, cache) => findText(path, name.text, cache)

/** @param {string} path @param {string} name @param {Map<string, ts.SourceFile>} cache */
const findText = (path, name, cache) =>
  declarationsOf(path, cache).statements.filter((statement) => namesOf(statement).includes(name))

/** @param {string} path @param {Map<string, ts.SourceFile>} cache @returns {ts.SourceFile} */
function declarationsOf(path, cache) {
  const known = cache.get(path)
  if (known) return known
  const { outputText } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
    fileName: path,
    compilerOptions: { target: ts.ScriptTarget.ES2022, isolatedDeclarations: true, declaration: true },
  })
  const declarations = ts.createSourceFile(`${path}.d.ts`, outputText, ts.ScriptTarget.ES2022, true)
  cache.set(path, declarations)
  return declarations
}

/** @param {ts.Statement} statement @returns {string[]} */
function namesOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  const named = /** @type {{ name?: ts.Identifier }} */ (/** @type {unknown} */ (statement)).name
  return named ? [named.text] : []
}

/** @param {ts.Statement} statement */
const isExported = (statement) =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

/** @param {string} name @param {readonly ts.Statement[]} found @returns {PublicName} */
function toPublicName(name, found) {
  const docs = found.map(docOf).filter((doc) => doc !== '')
  const code = found.map((statement) => textOf(statement)).join('\n')
  return { name, doc: docs.join('\n\n'), code, isType: found.every(isTypeOnly) }
}

/** @param {ts.Statement} statement */
const isTypeOnly = (statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)

/** @param {ts.Statement} statement @returns {string} */
function docOf(statement) {
  const [comment] = ts.getJSDocCommentsAndTags(statement)
  if (comment === undefined) return ''
  const lines = comment.getText().replace(/^\/\*\*|\*\/$/g, '')
  return lines
    .replace(/^ *\* ?/gm, '')
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .trim()
}

/** @param {ts.Statement} statement */
function textOf(statement) {
  // Private members are in a declaration, so that classes with the same shape differ.
  const lines = statement
    .getText()
    .split('\n')
    .filter((line) => !/^ +(private |#private)/.test(line))
  return lines
    .join('\n')
    .replace(/^export (declare )?/, '')
    .replace(/^ +/gm, (spaces) => ' '.repeat(Math.ceil(spaces.length / 2)))
}
