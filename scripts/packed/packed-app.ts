import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repository } from '../report.mjs'
import { packPackages, run, type Tarball } from './pack-packages.ts'

/** An application outside of the workspace, with the packed packages in its node_modules. */
export interface PackedApp {
  readonly root: string
  readonly tarballs: readonly Tarball[]
  remove(): void
}

/** What the application itself depends on, and what it brings for the packages' peers. */
const OWN = ['react', 'react-dom', 'zod', 'ai', 'quickjs-wasi', '@types/react', '@types/react-dom']

/**
 * Pack all packages and install them in a new application.
 *
 * The tarballs are unpacked as npm does it. What they depend on is linked from this repository, so nothing is asked of a
 * registry, and into the package that says so alone: an import that a package does not declare finds nothing here.
 */
export function packedApp(): PackedApp {
  // The real path: where the temporary folder is a link itself, a bundler would see each file under two names.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnloop-app-')))
  cpSync(fileURLToPath(new URL('app', import.meta.url)), root, { recursive: true })
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  const tarballs = packPackages(join(root, 'tarballs'))
  for (const tarball of tarballs) install(tarball, root)
  for (const name of OWN) link(name, repository, root)
  return { root, tarballs, remove: () => rmSync(root, { recursive: true, force: true }) }
}

function install({ name, manifest, path }: Tarball, root: string): void {
  const folder = join(root, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  run('tar', ['-xzf', path, '-C', folder, '--strip-components=1'], root)
  for (const needed of Object.keys(manifest.dependencies ?? {})) {
    if (!needed.startsWith('@turnloop/')) link(needed, join(repository, 'packages', name.slice(10)), folder)
  }
}

/** Link a dependency into the node_modules of `to`, from where `from` finds it. */
function link(name: string, from: string, to: string): void {
  const target = [join(from, 'node_modules', name), join(repository, 'node_modules', name)].find((at) => existsSync(at))
  if (target === undefined) throw new Error(`${name} is not installed in this repository: npm install`)
  const place = join(to, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(realpathSync(target), place, 'junction')
}
