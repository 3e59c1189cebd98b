// First, so that the styles of a part win over those of all parts.
import './styles/tokens.css'
import './styles/base.css'

import { indexedDbStore } from '@turnloop/indexeddb'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createPlaygroundAgent } from './agent.ts'
import { App } from './app/app.tsx'
import { preloadMarkdown } from './chat/reply-text.tsx'
import { createDataLibrary } from './data/tables.ts'
import { checkedModel } from './model/checked-model.ts'
import { keepOffline } from './offline/page-version.ts'
import { chosenModel } from './settings/chosen-model.ts'
import { createMcpServers } from './tools/mcp-servers.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id "root".')

const library = createDataLibrary()
const model = chosenModel(library)
const servers = createMcpServers()
const agent = createPlaygroundAgent({
  model: import.meta.env.DEV ? checkedModel(model) : model,
  library,
  servers: servers.source,
})
const store = indexedDbStore({ name: 'ask-your-data' })

preloadMarkdown()

// Once the page is there: what it keeps for later must not hold it up.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator)
  addEventListener('load', () => void keepOffline(navigator.serviceWorker), { once: true })

createRoot(root).render(
  <StrictMode>
    <App playground={{ agent, store, library, servers }} />
  </StrictMode>,
)
