import { createPage } from '../react-page.mjs'

/** No React: one text node, added to once a frame. What the browser itself costs. */
function mount({ root, history, source }) {
  const add = (role, text) => {
    const row = document.createElement('div')
    const paragraph = document.createElement('p')
    row.className = 'row'
    row.dataset.role = role
    row.append(paragraph)
    paragraph.append(text)
    root.append(row)
    return paragraph.firstChild
  }
  for (const { role, text } of history) add(role, text)
  return async () => {
    add('user', 'go')
    const node = add('assistant', '')
    let waiting = ''
    for await (const delta of source()) {
      if (waiting === '') {
        requestAnimationFrame(() => {
          node.appendData(waiting)
          waiting = ''
        })
      }
      waiting += delta
    }
  }
}

export default createPage(mount)
