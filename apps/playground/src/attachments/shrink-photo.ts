/** Of the longer side, in pixels: models make larger images smaller themselves. */
const MOST_PIXELS = 2048

/** Nobody sees the loss, and neither does a model. */
const QUALITY = 0.85

/** Draw an image as a JPEG whose longer side has 2,048 pixels at most. What one could see through becomes white. */
export async function shrinkPhoto(image: ImageBitmap): Promise<Blob> {
  const scale = Math.min(1, MOST_PIXELS / Math.max(image.width, image.height))
  const width = Math.max(1, Math.round(image.width * scale))
  const height = Math.max(1, Math.round(image.height * scale))
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  if (context === null)
    throw new Error('The browser has no room to make the image smaller. Close other tabs and add it again.')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, width, height)
  return await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY })
}
