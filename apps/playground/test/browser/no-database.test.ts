import { afterEach, expect, test, vi } from 'vitest'
import { createDataLibrary } from '../../src/data/tables.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a browser that keeps no data says so where the tables are', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('The user denied permission.', 'SecurityError')
  })
  const library = createDataLibrary()
  await library.ready

  expect(library.getSnapshot()).toEqual({
    tables: [],
    error: 'This browser does not let the page keep tables (IndexedDB: The user denied permission.).',
  })
  await expect(library.remove('cars')).rejects.toMatchObject({ name: 'TableError', code: 'storage' })
  library.dispose()
})
