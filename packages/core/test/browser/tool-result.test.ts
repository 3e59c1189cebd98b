import { expect, test } from 'vitest'
import { toCallToolResult } from '../../src/tool-result.ts'

test('ImageData becomes a PNG of the same pixels', async () => {
  const pixels = new Uint8ClampedArray([255, 0, 0, 255, 0, 255, 0, 255])
  const { content } = await toCallToolResult(new ImageData(pixels, 2, 1), 200_000)
  const [block] = content
  if (block?.type !== 'image') throw new Error('no picture')
  expect(block.mimeType).toBe('image/png')
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${block.data}`)).blob())
  const canvas = new OffscreenCanvas(2, 1).getContext('2d')
  canvas?.drawImage(picture, 0, 0)
  expect(canvas?.getImageData(0, 0, 2, 1).data).toEqual(pixels)
})

test('ImageData of another frame becomes a picture too', async () => {
  const frame = document.body.appendChild(document.createElement('iframe'))
  const image: unknown = Reflect.construct(Reflect.get(frame.contentWindow ?? {}, 'ImageData'), [2, 1])
  const { content } = await toCallToolResult(image, 200_000)
  frame.remove()
  expect(content).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
})
