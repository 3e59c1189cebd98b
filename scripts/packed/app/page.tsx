import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'

const root = document.getElementById('root')
const page = (
  <StrictMode>
    <Chat sessionId="first" />
  </StrictMode>
)
if (root?.hasChildNodes()) hydrateRoot(root, page)
else if (root) createRoot(root).render(page)
