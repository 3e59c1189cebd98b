import { checkOptions, isText } from './check-options.ts'
import type { ShortenReport } from './events.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Decision } from './outcome.ts'
import type { SessionInput } from './session.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { Command, CommandResult } from './session-protocol.ts'
import { ANSWER_BYTES } from './session-rules.ts'
import { toNote, toPatch } from './session-state.ts'
import { toCallToolResult } from './tool-result.ts'
import { userMessage } from './turn-input.ts'

/** What can be asked of a session that starts no turn and reads nothing: each is one command to whoever drives. */
export abstract class SessionActions {
  /** Settles when the session is loaded. */
  protected abstract readonly ready: Promise<void>
  /** Have a command carried out by whoever drives. */
  protected abstract run(command: Command, origin?: CommandOrigin): Promise<CommandResult>
  protected abstract now(): number
  /** Throws `session-closed`. */
  protected abstract checkOpen(): void

  approve(id: string, { input }: { input?: JsonObject } = {}): Promise<void> {
    return this.#decide({ id, allow: true, ...(input !== undefined && { input }) })
  }

  deny(id: string, note?: string): Promise<void> {
    return this.#decide({ id, allow: false, ...(note !== undefined && { note }) })
  }

  async answer(id: string, result: unknown): Promise<void> {
    await this.#decide({ id, allow: true, result: await toCallToolResult(result, ANSWER_BYTES) })
  }

  async #decide(decision: Decision): Promise<void> {
    await this.opened()
    await this.run({ name: 'decide', decision })
  }

  async setState(patch: JsonObject): Promise<void> {
    this.checkOpen()
    await this.run({ name: 'set-state', patch: toPatch(patch) })
  }

  async undoCompaction(): Promise<void> {
    this.checkOpen()
    await this.run({ name: 'undo-compaction' })
  }

  async rename(title: string): Promise<void> {
    this.checkOpen()
    checkOptions({ title }, { title: isText }, { where: 'rename', required: ['title'] })
    await this.ready
    this.checkOpen()
    await this.run({ name: 'rename', title })
  }

  async addNote(content: SessionInput, { data }: { data?: JsonValue } = {}): Promise<string> {
    this.checkOpen()
    const message = toNote(content, data, this.now())
    await this.ready
    this.checkOpen()
    await this.run({ name: 'note', message })
    return message.id
  }

  async erase(messageId: string): Promise<void> {
    await this.opened()
    await this.run({ name: 'erase', messageId })
  }

  async shorten({ olderThanMs = 0 }: { olderThanMs?: number } = {}): Promise<ShortenReport> {
    await this.opened()
    const { shortened } = await this.run({ name: 'shorten', olderThanMs })
    return shortened ?? { messages: 0, entries: 0, freedBytes: 0 }
  }

  async editQueued(id: string, input: SessionInput): Promise<void> {
    const { content } = userMessage(input, { id, createdAt: 0 })
    await this.ready.then(() => this.run({ name: 'edit-queued', id, content }))
  }

  async removeQueued(id: string): Promise<void> {
    await this.ready
    await this.run({ name: 'remove-queued', id })
  }

  /** Resolves once the session is loaded, if it is still open then. */
  protected async opened(): Promise<void> {
    this.checkOpen()
    await this.ready
    this.checkOpen()
  }
}
