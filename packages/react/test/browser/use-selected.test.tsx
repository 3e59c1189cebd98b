import { expect, test } from 'vitest'
import { useSelected } from '../../src/use-selected.ts'
import { fakeSession } from '../fake-session.ts'
import { nextFrame } from './page.ts'
import { renderHook, STRICT_CALLS } from './strict-render.ts'

test('a selector that builds an object renders only when members change', async () => {
  const session = fakeSession()
  let renders = 0
  const { result } = await renderHook(() => {
    renders += 1
    return useSelected(session, (s) => ({ status: s.status, count: s.messages.length }))
  })

  session.change({ title: 'of no concern' })
  await nextFrame()
  expect(renders).toBe(STRICT_CALLS)
  session.change({ status: 'running' })
  await nextFrame()

  expect(renders).toBe(2 * STRICT_CALLS)
  expect(result.current).toEqual({ status: 'running', count: 0 })
})

test('a built object works with Object.is too', async () => {
  const session = fakeSession()
  let renders = 0
  const { result } = await renderHook(() => {
    renders += 1
    return useSelected(session, (s) => ({ status: s.status }), Object.is)
  })

  session.change({ status: 'running' })
  await nextFrame()

  expect(renders).toBe(2 * STRICT_CALLS)
  expect(result.current).toEqual({ status: 'running' })
})

test('a slice stays the same object when the parent renders again', async () => {
  const session = fakeSession()
  const slices = new Set<unknown>()
  const { rerender } = await renderHook(() => slices.add(useSelected(session, (s) => ({ status: s.status }))))

  await rerender()
  await rerender()

  expect(slices.size).toBe(1)
})

test('a map with the same keys and another value is a change', async () => {
  const call = { callId: 'c', toolName: 't', turnId: '1', inputText: '' }
  const session = fakeSession('a', { calls: new Map([['c', { ...call, state: 'waiting' }]]) })
  const { result } = await renderHook(() => useSelected(session, (s) => s.calls))

  session.change({ calls: new Map([['c', { ...call, state: 'running' }]]) })
  await nextFrame()

  expect(result.current.get('c')?.state).toBe('running')
})

test('isEqual decides what counts as a change', async () => {
  const session = fakeSession('a', { title: '' })
  const isAlike = (a: number, b: number): boolean => Math.abs(a - b) < 5
  let renders = 0
  const { result } = await renderHook(() => {
    renders += 1
    return useSelected(session, (s) => s.title?.length ?? 0, isAlike)
  })

  session.change({ title: 'tiny' })
  await nextFrame()
  expect(renders).toBe(STRICT_CALLS)
  session.change({ title: 'not tiny any more' })
  await nextFrame()

  expect(result.current).toBe(17)
})

test('a selector that closes over a prop follows the prop', async () => {
  const session = fakeSession('a', { title: 'A', status: 'idle' })
  const { result, rerender } = await renderHook((name: 'title' | 'status' = 'title') =>
    useSelected(session, (s) => s[name]),
  )
  expect(result.current).toBe('A')

  await rerender('status')

  expect(result.current).toBe('idle')
})
