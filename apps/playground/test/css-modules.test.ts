import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))
const components = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))

test('every class that a component names is in its style sheet', () => {
  const missing = components.flatMap((component) => {
    const file = join(source, component)
    const text = readFileSync(file, 'utf8')
    const sheets = text.matchAll(/^import (\w+) from '(\.[^']+\.module\.css)'$/gm)
    return Array.from(sheets).flatMap(([, name = '', path = '']) => {
      const css = readFileSync(join(dirname(file), path), 'utf8')
      const known = new Set(Array.from(css.matchAll(/\.([a-zA-Z]\w*)/g), ([, found]) => found))
      const used = Array.from(
        text.matchAll(new RegExp(`\\b${name}\\.(?!module\\.css)(\\w+)\\b(?!\\()`, 'g')),
        ([, found]) => found,
      )
      return used.filter((found) => !known.has(found)).map((found) => `${component}: ${name}.${found}`)
    })
  })
  expect(missing).toEqual([])
})
