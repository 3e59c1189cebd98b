import { expect, test } from 'vitest'
import { reopenFile } from '../src/data/remembered-file.ts'

/** A handle whose browser has these answers, and what it was asked. */
function handleWith({ known, answer = 'denied' }: { known?: PermissionState; answer?: PermissionState }) {
  const asked: string[] = []
  const permissions = {
    queryPermission: async () => known,
    requestPermission: async () => {
      asked.push('person')
      return answer
    },
  }
  const handle = {
    getFile: async () => new File(['GGUF'], 'small.gguf'),
    ...(known !== undefined && permissions),
  }
  // Only what `reopenFile` uses of a handle.
  return { asked, file: { name: 'small.gguf', handle: handle as unknown as FileSystemFileHandle } }
}

test('a file that may be read is read, and nobody is asked', async () => {
  const { file, asked } = handleWith({ known: 'granted' })
  expect((await reopenFile(file))?.name).toBe('small.gguf')
  expect(asked).toEqual([])
})

test('a file that needs a permission is read only when a person may be asked', async () => {
  const { file, asked } = handleWith({ known: 'prompt', answer: 'granted' })
  expect(await reopenFile(file)).toBeUndefined()
  expect(asked).toEqual([])
  expect((await reopenFile(file, 'mayAsk'))?.name).toBe('small.gguf')
  expect(asked).toEqual(['person'])
})

test('a person who says no is not read from', async () => {
  const { file } = handleWith({ known: 'prompt', answer: 'denied' })
  expect(await reopenFile(file, 'mayAsk')).toBeUndefined()
})

test('a name alone opens nothing', async () => {
  expect(await reopenFile({ name: 'small.gguf' }, 'mayAsk')).toBeUndefined()
})

test('a browser without permissions for handles reads at once', async () => {
  const { file } = handleWith({})
  expect((await reopenFile(file))?.name).toBe('small.gguf')
})
