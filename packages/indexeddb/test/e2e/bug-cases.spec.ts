import { expect, test } from './durable-test.ts'
import { kill } from './kill.ts'
import { settle } from './killed-turn.ts'

test('A10: after a crash a failed call is still failed and an open one in doubt', async ({ browsing, site }) => {
  const id = 'A10'
  const page = await browsing.visit()
  const paying = site.world.witness(id).stopAt({ tool: 'pay' })
  await page.evaluate((which) => window.port.open({ id: which }).then(() => window.port.send(which, 'Break')), id)
  await paying
  await page.evaluate((which) => window.port.flush(which), id)
  await kill(page, 'crashed')

  const next = await browsing.visit()
  const found = await next.evaluate((which) => window.port.open({ id: which }), id)
  const settled = found.flatMap((entry) => (entry.type === 'tool-settled' ? [[entry.toolName, entry.status]] : []))
  expect(settled).toEqual([['broken', 'error']])
  const { snapshot } = await settle(next, id)
  const results = snapshot.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  expect(results.map(({ toolName, status }) => [toolName, status])).toEqual([
    ['broken', 'error'],
    ['pay', 'unknown'],
  ])
  expect(JSON.stringify(results[0]?.result.content)).toContain('disk full')
  await next.close()
})
