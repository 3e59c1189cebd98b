import { saveFile } from '../../app/save-file.ts'

const PADDING = 20
const TITLE_HEIGHT = 30
const LEGEND_HEIGHT = 24
const SVG = 'http://www.w3.org/2000/svg'

/** Put a chart on the clipboard as a PNG. Rejects if the browser does not allow it. */
export async function copyChart(figure: HTMLElement, title: string): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(toStandaloneSvg(figure, title)) })])
}

/** Save a chart as an SVG file that looks the same without this page. */
export async function saveChartAsSvg(figure: HTMLElement, title: string): Promise<void> {
  const text = new XMLSerializer().serializeToString(toStandaloneSvg(figure, title))
  saveFile(new Blob([text], { type: 'image/svg+xml' }), `${fileName(title)}.svg`)
}

/** Save a chart as a PNG file, at twice its size. */
export async function saveChartAsPng(figure: HTMLElement, title: string): Promise<void> {
  saveFile(await toPng(toStandaloneSvg(figure, title)), `${fileName(title)}.png`)
}

/** One SVG with title, legend and plot, and with every token replaced by its colour of this moment. */
function toStandaloneSvg(figure: HTMLElement, title: string): Element {
  const drawn = figure.querySelector<SVGSVGElement>('svg[class^="plot"]')
  if (drawn === null) throw new Error('The chart has not been drawn yet.')
  const legend = [...figure.querySelectorAll('ul li')]
  const { width, height } = drawn.viewBox.baseVal
  const top = PADDING + TITLE_HEIGHT + (legend.length > 0 ? LEGEND_HEIGHT : 0)
  const sheet = element('svg', { xmlns: SVG, width: width + 2 * PADDING, height: height + top + PADDING })
  sheet.append(
    element('rect', { width: '100%', height: '100%', fill: 'var(--ground)' }),
    text(title, { x: PADDING, y: PADDING + 16, fill: 'var(--ink)', 'font-size': 15, 'font-weight': 600 }),
    ...legendMarks(legend),
  )
  const plot = document.importNode(drawn, true)
  for (const [name, value] of Object.entries({ x: PADDING, y: top, width, height }))
    plot.setAttribute(name, String(value))
  sheet.append(plot)
  sheet.setAttribute('font-family', getComputedStyle(figure).fontFamily)
  return withColors(sheet, figure)
}

function legendMarks(items: readonly Element[]): SVGElement[] {
  let x = PADDING
  return items.flatMap((item, index) => {
    const name = item.textContent ?? ''
    const y = PADDING + TITLE_HEIGHT
    const marks = [
      element('circle', { cx: x + 5, cy: y + 5, r: 5, fill: `var(--series-${(index % 6) + 1})` }),
      text(name, { x: x + 16, y: y + 9, fill: 'var(--ink-2)', 'font-size': 12 }),
    ]
    x += 32 + name.length * 7
    return marks
  })
}

function withColors(sheet: SVGElement, figure: HTMLElement): Element {
  const probe = document.createElement('span')
  figure.append(probe)
  const markup = new XMLSerializer().serializeToString(sheet).replace(/var\((--[\w-]+)\)/g, (_, token: string) => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement
}

async function toPng(sheet: Element): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(sheet))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.width * 2
  canvas.height = image.height * 2
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image could not be made.'))), 'image/png')
  })
}

function fileName(title: string): string {
  return (
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'chart'
  )
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}

function text(words: string, attributes: Record<string, string | number>): SVGElement {
  const made = element('text', attributes)
  made.textContent = words
  return made
}
