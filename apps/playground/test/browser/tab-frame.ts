import { openSession, type Session } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { connectSession } from '@turnloop/worker/connect'
import { createTabAgent, DATABASE } from './tab-agent.ts'

/** In a frame, which is a tab as far as it goes: open sessions as its data says, for the page around it. */
// The suite made it with createElement('iframe').
const { place, name = DATABASE, without } = (frameElement as HTMLIFrameElement).dataset
const agent = createTabAgent()
if (without === 'locks') Object.defineProperty(navigator, 'locks', { value: undefined })
if (without === 'channel') Object.defineProperty(globalThis, 'BroadcastChannel', { value: undefined })
const store = indexedDbStore({ name })

const host =
  place === 'worker'
    ? connectSession(() => new Worker(new URL('./tab-host.ts', import.meta.url), { type: 'module' }), { store })
    : place === 'shared worker'
      ? connectSession(() => new SharedWorker(new URL('./tab-host.ts', import.meta.url), { type: 'module' }), { store })
      : { open: (id: string): Session => openSession({ agent, id, store }) }

Object.assign(globalThis, { openInTab: (id: string) => host.open(id) })
