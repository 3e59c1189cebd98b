import { expect, test } from 'vitest'
import { offlinePlan } from '../offline-page.ts'
import { routeOf } from '../src/offline/offline-plan.ts'

const PAGE = 'https://example.org'
const built = [
  { path: '/index.html', content: '<html>' },
  { path: '/signed-in.html', content: '<html>' },
  { path: '/assets/index-a1.js', content: 'run()' },
  { path: '/assets/index-a1.js.map', content: '{}' },
  { path: '/assets/engine-b2.wasm', content: new Uint8Array(6_000_000) },
  { path: '/icon.svg', content: '<svg/>' },
]
const plan = offlinePlan(built)

test('the page and its parts are kept, what is large once it was used', () => {
  expect(plan).toMatchObject({ files: ['/', '/assets/index-a1.js', '/icon.svg'], later: ['/assets/engine-b2.wasm'] })
})

test('a version is another when any content is, and else the same', () => {
  const changed = built.map((file) => (file.path === '/icon.svg' ? { ...file, content: '<svg></svg>' } : file))
  expect(offlinePlan([...built].reverse()).version).toBe(plan.version)
  expect(offlinePlan(changed).version).not.toBe(plan.version)
})

test.each([
  ['the page, whatever is behind its address', { url: `${PAGE}/?speed=full`, mode: 'navigate' }, 'page'],
  ['a part of it', { url: `${PAGE}/assets/index-a1.js` }, 'kept'],
  ['the engine', { url: `${PAGE}/assets/engine-b2.wasm` }, 'later'],
  ['the page of a sign-in', { url: `${PAGE}/signed-in.html`, mode: 'navigate' }, 'network'],
  ['a model behind the proxy', { url: `${PAGE}/proxy/v1/models` }, 'network'],
  ['a model elsewhere', { url: 'https://api.example.com/assets/index-a1.js' }, 'network'],
  ['what is sent', { url: `${PAGE}/icon.svg`, method: 'POST' }, 'network'],
] as const)('%s is answered by its rule', (_, request, route) => {
  expect(routeOf(plan, { method: 'GET', mode: 'no-cors', ...request }, PAGE)).toBe(route)
})
