import type { Element, Root } from 'hast'

const FIGURE = /^[-+−]?[$€£]?\d[\d,.  ]*(?:\s?[%a-z°/²³]{1,5})?$|^[–-]?$/i

/** A rehype plugin: columns of a table that hold only figures are marked, heading included, so that they can be aligned. */
export function alignFigures() {
  return (tree: Root): void => visit(tree, alignTable)
}

function alignTable(table: Element): void {
  const rows = descendants(table, 'tr').map((row) => children(row).filter((cell) => /^t[hd]$/.test(cell.tagName)))
  const body = rows.slice(1)
  for (const [place, heading] of (rows[0] ?? []).entries()) {
    const cells = body.map((row) => row[place]).filter((cell) => cell !== undefined)
    const hasFigures = cells.some((cell) => /\d/.test(textOf(cell)))
    if (!hasFigures || !cells.every((cell) => FIGURE.test(textOf(cell).trim()))) continue
    for (const cell of [heading, ...cells]) cell.properties.dataFigures = ''
  }
}

function visit(node: Root | Element, onTable: (table: Element) => void): void {
  for (const child of children(node)) {
    if (child.tagName === 'table') onTable(child)
    else visit(child, onTable)
  }
}

function descendants(node: Element, tagName: string): Element[] {
  return children(node).flatMap((child) => (child.tagName === tagName ? [child] : descendants(child, tagName)))
}

function children(node: Root | Element): Element[] {
  return node.children.flatMap((child) => (child.type === 'element' ? [child] : []))
}

function textOf(node: Element): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : ''))
    .join('')
}
