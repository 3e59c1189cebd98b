import { StrictMode } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { Chat } from './chat.tsx'

// Renders the page in both of React's ways and prints each as one line of JSON.
const page = (
  <StrictMode>
    <Chat sessionId="first" />
  </StrictMode>
)
console.log(JSON.stringify(renderToString(page)))
const { pipe } = renderToPipeableStream(page, { onAllReady: () => pipe(process.stdout) })
