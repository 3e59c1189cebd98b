import { createAgent, openSession } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { scriptedModel } from '@turnloop/testing'

/** In a frame: start a turn that does not end, for as long as the frame is there. */
// The test made it with createElement('iframe').
const { name } = (frameElement as HTMLIFrameElement).dataset
const agent = createAgent({ model: scriptedModel([{ text: 'Half of what the frame', hang: true }]) })
const session = openSession({ agent, id: 's', store: indexedDbStore({ name: name ?? '' }) })
session.send('Asked in the frame').catch(() => {})
