import type { StorageStatus } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { storageWords } from '../src/chat/storage-words.ts'

const of = (state: StorageStatus['state'], more: Partial<StorageStatus> = {}) =>
  storageWords({ state, waiting: 0, ...more })

describe('storageWords', () => {
  it('says nothing while all is saved', () => {
    expect(of('ready')).toBeUndefined()
  })

  it('offers a way on from each state in which something is not', () => {
    const states = ['degraded', 'full', 'blocked', 'lost'] as const
    const offers = states.map((state) => of(state, { waiting: 2 })?.offers[0])

    expect(offers).toEqual(['try-again', 'make-room', 'try-again', 'reload'])
  })

  it('counts what waits', () => {
    expect(of('full', { waiting: 1 })?.text).toContain('The last step waits in this tab')
    expect(of('full', { waiting: 3 })?.text).toContain('The last 3 steps wait in this tab')
  })

  it('tells a newer version and another tab apart from a browser that refuses', () => {
    expect(of('blocked', { reason: 'newer-version' })?.offers).toEqual(['reload'])
    expect(of('blocked', { reason: 'blocked-by-other-tab' })?.text).toContain('Another tab')
    expect(of('blocked', { reason: 'storage-unavailable' })?.text).toContain('does not let this page save')
  })

  it('offers to export what a reload would lose', () => {
    expect(of('lost')?.offers).toEqual(['reload'])
    expect(of('lost', { waiting: 1 })?.offers).toEqual(['reload', 'export'])
  })

  it('speaks softly where nothing is amiss', () => {
    expect(of('ready', { isUnshared: true })?.tone).toBe('quiet')
    expect(of('memory')?.tone).toBe('quiet')
  })
})
