import { type Entry, openSession, type Session, type Snapshot } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { checkHistory, type ScriptedModel } from '@turnloop/testing'
import type { Opening, PagePort, Report } from './page-port.ts'
import { showConversation } from './show-conversation.ts'
import { threeTools } from './three-tools.ts'
import { type ToldStore, toldStore } from './told-store.ts'

interface Conversation {
  readonly session: Session
  readonly store: ToldStore
  readonly model: ScriptedModel
  readonly warnings: string[]
}

const database = indexedDbStore({ name: 'durability' })
const conversations = new Map<string, Conversation>()

async function open(opening: Opening): Promise<readonly Entry[]> {
  const { id, saveTimeoutMs } = opening
  const before = await database.read(id)
  const store = toldStore(database, opening)
  const { agent, model } = threeTools(opening)
  const session = openSession({ agent, id, store, ...(saveTimeoutMs !== undefined && { saveTimeoutMs }) })
  const warnings: string[] = []
  listen(session, warnings).catch((error: unknown) => reportError(error))
  conversations.set(id, { session, store, model, warnings })
  showConversation(session, warnings)
  return before
}

async function listen(session: Session, warnings: string[]): Promise<void> {
  for await (const event of session.events()) if (event.type === 'warning') warnings.push(event.message)
}

function find(id: string): Conversation {
  const found = conversations.get(id)
  if (found === undefined) throw new Error(`Conversation ${id} is not open.`)
  return found
}

/** Resolves when nothing goes on and no turn is open: one that was cut goes on by itself, as soon as this page drives. */
function untilEnded(session: Session): Promise<Snapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = session.getSnapshot()
      if (snapshot.status !== 'idle' || snapshot.turn !== undefined) return
      stop()
      resolve(snapshot)
    }
    const stop = session.subscribe(look)
    look()
  })
}

async function ended(id: string): Promise<Report> {
  const { session, model, warnings } = find(id)
  const { status, outcome, messages, storage } = await untilEnded(session)
  const inTranscript = checkHistory(messages).problems.map(({ rule, message }) => `${rule}: ${message}`)
  return {
    entries: session.getEntries(),
    stored: await database.read(id),
    snapshot: { status, messages, storage, ...(outcome && { outcome }) },
    problems: [...inTranscript, ...model.violations],
    warnings,
  }
}

const port: PagePort = {
  open,
  send: (id, text) =>
    void find(id)
      .session.send(text)
      .catch((error: unknown) => reportError(error)),
  ended,
  mend: (id) => find(id).store.mend(),
  flush: (id) => find(id).session.flush(),
  list: () => database.list(),
  remove: (id) => database.remove(id),
}
window.port = port
// A page that crashes has no time for this: the test counts them.
addEventListener('pagehide', () => navigator.sendBeacon('/pagehide'))
