import type { Element, Root } from 'hast'
import { describe, expect, it } from 'vitest'
import { alignFigures } from '../src/chat/align-figures.ts'

function element(tagName: string, children: Element['children']): Element {
  return { type: 'element', tagName, properties: {}, children }
}

function table(rows: readonly (readonly string[])[]): Root {
  const cells = (row: readonly string[], tagName: string) =>
    row.map((value) => element(tagName, [{ type: 'text', value }]))
  const [head = [], ...body] = rows
  return {
    type: 'root',
    children: [
      element('table', [
        element('thead', [element('tr', cells(head, 'th'))]),
        element(
          'tbody',
          body.map((row) => element('tr', cells(row, 'td'))),
        ),
      ]),
    ],
  }
}

/** Which columns of each row are marked, as a string of `9` and `a`. */
function marks(root: Root): string[] {
  const rows: string[] = []
  const walk = (node: Root | Element): void => {
    for (const child of node.children) {
      if (child.type !== 'element') continue
      if (child.tagName === 'tr') rows.push(child.children.map((cell) => (isMarked(cell) ? '9' : 'a')).join(''))
      else walk(child)
    }
  }
  walk(root)
  return rows
}

function isMarked(cell: Element['children'][number]): boolean {
  return cell.type === 'element' && 'dataFigures' in cell.properties
}

describe('alignFigures', () => {
  it('marks columns of figures, their heading included', () => {
    const root = table([
      ['Origin', 'Cars', 'Average', 'Share', 'Note'],
      ['USA', '1,254', '119.0 hp', '62.6 %', '3 of them'],
      ['Japan', '79', '–', '-19.5 %', '12'],
    ])
    alignFigures()(root)

    expect(marks(root)).toEqual(['a999a', 'a999a', 'a999a'])
  })

  it('leaves a column of nothing but gaps alone', () => {
    const root = table([['A'], ['–'], ['']])
    alignFigures()(root)

    expect(marks(root)).toEqual(['a', 'a', 'a'])
  })
})
