import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { documentsOf, linksIn, programsIn } from './documents.mjs'
import { isMain, report, repository } from './report.mjs'

/**
 * Type-check the programs of the documents against the packages.
 *
 * @param {string} root
 * @returns {string[]} One line per problem.
 */
export function checkSnippets(root) {
  const files = new Map(
    documentsOf(root).flatMap((path) =>
      programsIn(readFileSync(join(root, path), 'utf8')).map((text, index) => [
        // Forward slashes, as TypeScript writes paths on every system.
        `${join(root, `${path}.${index}.tsx`)}`.replaceAll('\\', '/'),
        { path, text: `${text}\nexport {}\n` },
      ]),
    ),
  )
  const program = ts.createProgram([...files.keys()], readOptions(root), hostWith(files, readOptions(root)))
  // What is wrong in the packages themselves is for their own type check to say.
  return ts.getPreEmitDiagnostics(program).flatMap(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n  ')
    const snippet = files.get(file?.fileName ?? '')
    if (file === undefined || snippet === undefined) return file === undefined ? [message] : []
    return [`${snippet.path}:${file.getLineAndCharacterOfPosition(start).line + 1} ${message}`]
  })
}

/** @param {string} root @returns {import('typescript').CompilerOptions} */
function readOptions(root) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  return {
    ...options,
    noUnusedLocals: false,
    noUnusedParameters: false,
    isolatedDeclarations: false,
    declaration: false,
  }
}

/** @param {Map<string, { text: string }>} files @param {import('typescript').CompilerOptions} options */
function hostWith(files, options) {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name)?.text ?? readFile(name)
  host.getSourceFile = (name, target, ...more) => {
    const file = files.get(name)
    return file ? ts.createSourceFile(name, file.text, target, true) : getSourceFile(name, target, ...more)
  }
  return host
}

/**
 * Check that the relative links of the documents lead to something.
 *
 * @param {string} root
 * @returns {string[]} One line per problem.
 */
export function checkLinks(root) {
  return documentsOf(root).flatMap((path) =>
    linksIn(readFileSync(join(root, path), 'utf8'))
      .filter(({ target }) => !existsSync(join(root, dirname(path), target)))
      .map(({ target, line }) => `${path}:${line} links to ${target}, which is not there`),
  )
}

if (isMain(import.meta.url)) {
  report('the snippets compile and the links lead somewhere', [...checkSnippets(repository), ...checkLinks(repository)])
}
