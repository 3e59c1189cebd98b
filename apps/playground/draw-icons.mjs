// Draws the icons of the installed app from icon.svg: `node apps/playground/draw-icons.mjs`. Their files are committed.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { findBrowser } from '../../scripts/browser.mjs'

const folder = fileURLToPath(new URL('./public/', import.meta.url))
const drawing = readFileSync(`${folder}icon.svg`, 'utf8')

/** A maskable icon is cut to any shape: its ground fills the square, and the drawing stays in the middle four fifths. */
const ICONS = [
  { name: 'icon-192.png', size: 192, style: 'width:100%;height:100%' },
  { name: 'icon-512.png', size: 512, style: 'width:100%;height:100%' },
  { name: 'icon-maskable-512.png', size: 512, style: 'width:80%;height:80%;margin:10%', ground: '#0b625d' },
  { name: 'apple-touch-icon.png', size: 180, style: 'width:88%;height:88%;margin:6%', ground: '#0b625d' },
]

const browser = await chromium.launch(findBrowser())
for (const { name, size, style, ground = 'transparent' } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const svg = drawing.replace('<svg ', `<svg style="display:block;box-sizing:border-box;${style}" `)
  await page.setContent(`<body style="margin:0;overflow:hidden;background:${ground}">${svg}</body>`)
  await page.screenshot({ path: `${folder}${name}`, omitBackground: true })
  await page.close()
}
await browser.close()
