import { readFileSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { build, type Plugin } from 'vite'
import { afterAll, expect, it } from 'vitest'
import { bytesOf } from './pack-packages.ts'
import { packedApp } from './packed-app.ts'

// At collection, since there is one test per package. A failure here fails the file.
const app = packedApp()
afterAll(() => app.remove())
const { tarballs, root } = app

/** Packages are ESM alone: `require` is Node's to answer, and `node10` is what knows no `exports`. */
const NOT_FOR_US = ['node10', 'node16-cjs']

it.each(tarballs)('$name brings its code, its sources, its README and its licence', ({ files, manifest }) => {
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json', 'dist/index.js']))
  expect(files.filter((path) => !/^(dist|src)\/|^(README\.md|LICENSE|package\.json)$/.test(path))).toEqual([])
  expect(manifest).toMatchObject({ license: 'MIT', type: 'module', sideEffects: false })
  expect(manifest.publishConfig).toEqual({ access: 'public' })
})

it.each(tarballs)('publint finds nothing in $name', async (tarball) => {
  const { messages, pkg } = await publint({ pack: { tarball: bytesOf(tarball) }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

it.each(tarballs)('the types of $name are found and are those of its code', async (tarball) => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(bytesOf(tarball))))
  if (result.types === false) throw new Error(`${tarball.name} has no types`)
  const problems = result.problems.filter(
    (problem) => !('resolutionKind' in problem && NOT_FOR_US.includes(problem.resolutionKind)),
  )
  expect(problems).toEqual([])
})

it('the declarations and a program on them compile, strictly', () => {
  const chat = join(root, 'chat.tsx')
  const every = join(root, 'every-entry.ts')
  writeFileSync(every, importEverything())
  const program = ts.createProgram([chat, every], { ...readOptions(), skipLibCheck: false })
  // Only ours are checked: what others declare is theirs to check, and takes a minute.
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.includes('/@turnloop/') || !fileName.includes('/node_modules/'))
  const found = ours.flatMap((file) => program.getSemanticDiagnostics(file))
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  expect(ours.some(({ fileName }) => fileName.endsWith('@turnloop/worker/dist/serve.d.ts'))).toBe(true)
})

it('no page gets a module of Node', async () => {
  const asked: string[] = []
  const spy: Plugin = {
    name: 'spy',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id === 'every-entry') return '\0every-entry'
      if (id.startsWith('node:') || builtinModules.includes(id)) asked.push(`${importer} imports ${id}`)
      return undefined
    },
    load: (id) => (id === '\0every-entry' ? `${importEverything()}globalThis.everything = all` : undefined),
  }
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [spy],
    build: { write: false, minify: false, target: 'es2022', rolldownOptions: { input: 'every-entry' } },
  })
  expect(JSON.stringify(built)).toContain('createAgent')
  expect(asked).toEqual([])
})

// Some dependencies do, behind `typeof process`; that they work without is for the installed app to show.
it.each(tarballs)('$name never asks for a process', ({ name, files }) => {
  const code = files.filter((path) => /^dist\/.*\.js$/.test(path))
  const asking = code.filter((path) =>
    /(?<![\w.'"`-])process\??\.\w|globalThis\.process|['"]node:/.test(
      readFileSync(join(root, 'node_modules', name, path), 'utf8'),
    ),
  )
  expect(code).not.toEqual([])
  expect(asking).toEqual([])
})

/** A module that imports every entry point of every package. */
function importEverything(): string {
  const names = tarballs.flatMap(({ entries }) => entries)
  const lines = names.map((name, index) => `import * as entry${index} from '${name}'`)
  return `${lines.join('\n')}\nexport const all = [${names.map((_, index) => `entry${index}`)}]\n`
}

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options
}
