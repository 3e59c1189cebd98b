import { resultText } from '@turnloop/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { toCallToolResult } from '../src/tool-result.ts'

const LIMIT = 200_000

async function errorOf(value: unknown): Promise<string> {
  const result = await toCallToolResult(value, LIMIT)
  expect(result.isError).toBe(true)
  return resultText(result)
}

describe('bytes', () => {
  const bytes = new Uint8Array([0, 1, 254, 255])

  test.each<[string, unknown, unknown]>([
    ['a typed array', bytes, { mimeType: 'application/octet-stream', blob: 'AAH+/w==' }],
    ['a buffer', bytes.buffer, { mimeType: 'application/octet-stream', blob: 'AAH+/w==' }],
    ['a view on a part', new DataView(bytes.buffer, 1, 2), { mimeType: 'application/octet-stream', blob: 'Af4=' }],
    ['a Blob', new Blob([bytes], { type: 'application/pdf' }), { mimeType: 'application/pdf', blob: 'AAH+/w==' }],
    ['clamped bytes', new Uint8ClampedArray(bytes), { mimeType: 'application/octet-stream', blob: 'AAH+/w==' }],
    ['a Blob without a type', new Blob([bytes]), { mimeType: 'application/octet-stream', blob: 'AAH+/w==' }],
  ])('%s is a resource', async (_name, value, resource) => {
    expect((await toCallToolResult(value, LIMIT)).content).toMatchObject([{ type: 'resource', resource }])
  })

  test.each(['image/png', 'audio/wav'])('a Blob of type %s is that kind of block', async (mimeType) => {
    const { content } = await toCallToolResult(new Blob([bytes], { type: mimeType }), LIMIT)
    expect(content).toEqual([{ type: mimeType.split('/')[0], data: 'AAH+/w==', mimeType }])
  })

  test.each<[string, unknown, unknown]>([
    ['fractions', new Float32Array([0.5, 2]), [0.5, 2]],
    ['signed numbers', new Int16Array([-1, 300]), [-1, 300]],
    ['signed bytes', new Int8Array([-1, 2]), [-1, 2]],
    ['big numbers', new BigUint64Array([2n ** 63n]), ['9223372036854775808']],
    ['numbers of a part', new Float64Array([1, 2, 3]).subarray(1), [2, 3]],
  ])('a typed array of %s is a list of them, not their bytes', async (_name, value, result) => {
    expect(await toCallToolResult(value, LIMIT)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: { result },
    })
  })

  test.each([
    ['plan.pdf', 'file:///plan.pdf'],
    ['Größe 5%.pdf', 'file:///Gr%C3%B6%C3%9Fe%205%25.pdf'],
    ['../a/b', 'file:///..%2Fa%2Fb'],
    ['', 'data:'],
  ])('a File named %j has the address %s', async (name, uri) => {
    const file = new File([bytes], name, { type: 'application/pdf' })
    const { content } = await toCallToolResult(file, LIMIT)
    expect(content).toEqual([{ type: 'resource', resource: { uri, mimeType: 'application/pdf', blob: 'AAH+/w==' } }])
  })

  test('a File that is a picture is a picture', async () => {
    const { content } = await toCallToolResult(new File([bytes], 'a.png', { type: 'image/png' }), LIMIT)
    expect(content).toEqual([{ type: 'image', data: 'AAH+/w==', mimeType: 'image/png' }])
  })

  test('a megabyte overflows no stack', async () => {
    const { content } = await toCallToolResult(new Blob([new Uint8Array(1_000_000)], { type: 'image/png' }), 2_000_000)
    expect(content[0]?.type === 'image' && content[0].data.length).toBe(1_333_336)
  })

  test('a Blob that cannot be read is an error', async () => {
    const broken = Object.assign(new Blob(['x']), { arrayBuffer: () => Promise.reject(new Error('file is gone')) })
    expect(await errorOf(broken)).toBe('file is gone')
  })
})

describe('ImageData', () => {
  const image = { width: 2, height: 1, data: new Uint8ClampedArray(8), [Symbol.toStringTag]: 'ImageData' }
  afterEach(() => vi.unstubAllGlobals())

  test('is drawn in its own size and becomes a PNG', async () => {
    const drawn: unknown[] = []
    class Canvas {
      constructor(width: number, height: number) {
        drawn.push(width, height)
      }
      getContext(kind: string): unknown {
        return { putImageData: (...given: unknown[]) => drawn.push(kind, ...given) }
      }
      convertToBlob(options: { type: string }): Promise<Blob> {
        return Promise.resolve(new Blob(['png'], options))
      }
    }
    vi.stubGlobal('OffscreenCanvas', Canvas)
    const { content } = await toCallToolResult(image, LIMIT)
    expect(content).toEqual([{ type: 'image', data: btoa('png'), mimeType: 'image/png' }])
    expect(drawn).toEqual([2, 1, '2d', image, 0, 0])
  })

  test('is an error that says so where nothing can draw', async () => {
    vi.stubGlobal('OffscreenCanvas', undefined)
    expect(await errorOf(image)).toMatch(/no OffscreenCanvas\. Return a Blob instead\.$/)
  })
})
