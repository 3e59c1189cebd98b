import { memo } from 'react'
import { createRoot } from 'react-dom/client'
import { create } from 'zustand'
import { browserModel } from '../browser-model.mjs'
import { createPage } from '../react-page.mjs'
import { RowView, Transcript } from '../rows.jsx'

/** The floor for React: a loop by hand into a store, set once a frame; earlier rows are rendered once, whatever is asked for. */
function mount({ root, history, source }) {
  const model = browserModel(source)
  const useStore = create(() => ({ live: null, rows: history }))
  const Row = memo(({ message }) => <RowView from={message.role} text={message.text} />)
  const Live = () => {
    const text = useStore((state) => state.live)
    return text === null ? null : <RowView from="assistant" text={text} />
  }
  const Chat = () => {
    const rows = useStore((state) => state.rows)
    return (
      <Transcript>
        {rows.map((message) => (
          <Row key={message.id} message={message} />
        ))}
        <Live />
      </Transcript>
    )
  }
  createRoot(root).render(<Chat />)
  return async () => {
    useStore.setState(({ rows }) => ({ rows: [...rows, { id: 'u', role: 'user', text: 'go' }] }))
    let text = ''
    let isDue = false
    const { stream } = await model.doStream({ prompt: [] })
    const reader = stream.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.type !== 'text-delta') continue
      text += next.value.delta
      if (isDue) continue
      isDue = true
      requestAnimationFrame(() => {
        isDue = false
        useStore.setState({ live: text })
      })
    }
  }
}

export default createPage(mount)
