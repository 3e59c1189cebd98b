import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../report.mjs'
import { readUnits, type Unit } from '../workspace.mjs'

/** One package as it would be published. */
export interface Tarball {
  readonly name: string
  readonly manifest: Unit['manifest']
  readonly path: string
  /** The paths in it, from the top of the package. */
  readonly files: readonly string[]
  /** The entry points, as an import names them. */
  readonly entries: readonly string[]
}

/** Pack every package into a folder, as `npm publish` would. Throws where one has not been built. */
export function packPackages(folder: string): Tarball[] {
  const units = readUnits(repository).filter((unit) => unit.folder.startsWith('packages/'))
  const unbuilt = units.find((unit) => !existsSync(join(repository, unit.folder, 'dist')))
  if (unbuilt !== undefined) throw new Error(`${unbuilt.folder} has not been built: npm run build`)
  mkdirSync(folder, { recursive: true })
  const places = units.map((unit) => `./${unit.folder}`)
  const packed: unknown = JSON.parse(
    run('npm', ['pack', ...places, '--json', '--pack-destination', folder], repository),
  )
  // A list in some versions of npm, an object by name in others.
  return Object.values(Object(packed)).map((made) => {
    const { name, filename, files } = asPacked(made)
    const manifest = units.find((unit) => unit.manifest.name === name)?.manifest ?? {}
    const entries = Object.keys(manifest.exports).map((entry) => name + entry.slice(1))
    return { name, manifest, path: join(folder, filename), files: files.map(({ path }) => path), entries }
  })
}

/** Run a program to its end; gives what it printed, throws what it complained about. */
export function run(program: string, options: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, options, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64e6,
    // On Windows npm is a script, which only a shell can start.
    shell: process.platform === 'win32' && program === 'npm',
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`${program} ${options.join(' ')} failed: ${stderr || stdout}`)
  return stdout
}

/** The bytes of a tarball in a buffer of its own, which is what the checkers take. */
export function bytesOf({ path }: Tarball): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer
}

interface Packed {
  name: string
  filename: string
  files: { path: string }[]
}

function asPacked(made: unknown): Packed {
  if (typeof made !== 'object' || made === null || !('filename' in made)) throw new Error('npm pack told nothing')
  // What `npm pack --json` is documented to print.
  return made as Packed
}
