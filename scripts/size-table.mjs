/** How far a size in the table may be off before it counts as out of date. */
const TOLERANCE_KB = 0.25

const BLOCK = /(<!-- sizes -->\n)([\s\S]*?)(<!-- \/sizes -->)/

/**
 * A text with today's table of packages between `<!-- sizes -->` and `<!-- /sizes -->`; the same text if that is current.
 *
 * @param {string} text
 * @param {readonly import('./workspace.mjs').Unit[]} units
 * @param {ReadonlyMap<string, number>} sizes KB by name, without the scope.
 * @returns {string}
 */
export function refreshSizes(text, units, sizes) {
  return text.replace(BLOCK, (_, start, table, end) => start + sizeTable(units, sizes, shownIn(table)) + end)
}

/**
 * @param {readonly import('./workspace.mjs').Unit[]} units
 * @param {ReadonlyMap<string, number>} sizes
 * @param {ReadonlyMap<string, number>} shown What the table says now; it stays where it is near enough.
 */
function sizeTable(units, sizes, shown) {
  // Core stands first: it is what every reader needs.
  const ordered = [...units].sort((a, b) => Number(b.folder === 'packages/core') - Number(a.folder === 'packages/core'))
  const rows = ordered.flatMap(({ folder, manifest }) => {
    const name = manifest.name.replace('@turnloop/', '')
    const size = sizes.get(name)
    if (size === undefined) return []
    const before = shown.get(name) ?? Number.NaN
    const kb = Math.abs(size - before) <= TOLERANCE_KB ? before : size
    return [`| [\`${manifest.name}\`](${folder}) | ${manifest.description} | ${kb.toFixed(1)} KB |\n`]
  })
  const least = sizes.get('core: createAgent and tool')
  if (least !== undefined)
    rows.splice(
      1,
      0,
      `| of it, \`createAgent\` and \`tool\` | What a page with one tool carries. | ${least.toFixed(0)} KB |\n`,
    )
  return `| package | what it is | gzip |\n|---|---|--:|\n${rows.join('')}`
}

/** @param {string} table @returns {Map<string, number>} */
function shownIn(table) {
  const rows = table.matchAll(/@turnloop\/([\w-]+)`.*\| ([\d.]+) KB \|/g)
  return new Map(Array.from(rows, ([, name, kb]) => [name ?? '', Number(kb)]))
}
