import type { LiveEventBody } from './events.ts'
import { deepFreeze } from './json.ts'
import type { AssistantMessage, AssistantPart, ProviderMetadata } from './messages.ts'
import type { ModelEvent } from './model.ts'
import { type StopReason, settleStopReason } from './stop-reason.ts'
import type { Usage } from './usage.ts'

/** Gives tool calls their identity. */
export interface CallIds {
  /** A new call, first seen now under the provider's id, which may be empty or used before. */
  mint(providerId: string): { callId: string; wireId: string }
  /** The call of an earlier reply that went over the wire under this id. */
  find(wireId: string): { callId: string; wireId: string } | undefined
}

/** A part on its way. `isWhole` once its end, or for a call its text, has come. */
interface Slot {
  readonly providerId: string
  part: AssistantPart
  /** What has come of a part that grows: its own text is empty until the message is built. */
  text: string
  isWhole: boolean
}

type Finish = Extract<ModelEvent, { type: 'finish' }>
type Delta = Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' }>
type Call = Extract<ModelEvent, { type: 'tool-call' }>

/** Folds one model stream into one assistant message, emitting what grows. Costs O(delta) per delta. */
export class ReplyBuilder {
  readonly #id: string
  readonly #ids: CallIds
  readonly #emit: (body: LiveEventBody) => void
  readonly #slots: Slot[] = []
  #finish: Finish | undefined
  #modelId: string | undefined
  /** The first error the stream reported. */
  error: unknown
  hasError = false

  constructor(options: { id: string; ids: CallIds; emit: (body: LiveEventBody) => void }) {
    this.#id = options.id
    this.#ids = options.ids
    this.#emit = options.emit
  }

  get hasFinished(): boolean {
    return this.#finish !== undefined
  }

  add(event: ModelEvent): void {
    switch (event.type) {
      case 'started':
        this.#modelId = event.modelId ?? this.#modelId
        return
      case 'text-start':
      case 'reasoning-start':
        this.#openText(event.type === 'text-start' ? 'text' : 'reasoning', event)
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#grow(event)
        return
      case 'text-end':
      case 'reasoning-end':
        this.#endText(event)
        return
      case 'tool-input-start':
        this.#openCall(event.id, event.toolName, event.providerExecuted === true)
        return
      case 'tool-input-delta':
        this.#growCall(event)
        return
      case 'tool-call':
        this.#completeCall(event)
        return
      case 'warning':
        this.#emit({ type: 'warning', message: event.message })
        return
      case 'error':
        if (!this.hasError) this.error = event.error
        this.hasError = true
        return
      case 'finish':
        this.#finish = event
        return
      case 'ping':
        return
      default:
        this.#addWhole(event)
        return
    }
  }

  /**
   * The message as it stands. Uncut, it has all its parts and the stop reason they amount to; `cut` keeps only what is
   * whole (text may end anywhere) and says why.
   */
  build(details: { createdAt: number; timing: AssistantMessage['timing']; cut?: StopReason }): AssistantMessage {
    const isBroken = details.cut !== undefined || this.hasError || this.#finish === undefined
    const isLengthCut = !isBroken && this.#finish?.stopReason === 'maxTokens'
    const content = this.#slots
      .filter((slot) => isKept(slot, { isBroken, isLengthCut }))
      .map((slot) => deepFreeze(wholePart(slot)))
    const settled = settleStopReason({
      finish: details.cut ?? this.#finish?.stopReason,
      hasClientCalls: content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true),
      hasProviderCalls: content.some((part) => part.type === 'tool-call' && part.providerExecuted === true),
      hasError: this.hasError && details.cut === undefined,
    })
    return {
      id: this.#id,
      role: 'assistant',
      createdAt: details.createdAt,
      content,
      ...settled,
      ...(this.#finish?.rawStopReason !== undefined && { rawStopReason: this.#finish.rawStopReason }),
      ...(this.#finish?.usage !== undefined && { usage: this.#finish.usage satisfies Usage }),
      ...(this.#finish?.providerMetadata !== undefined && { providerMetadata: this.#finish.providerMetadata }),
      ...(this.#modelId !== undefined && { modelId: this.#modelId }),
      ...(details.timing !== undefined && { timing: details.timing }),
      ...(isBroken && { partial: true as const }),
    }
  }

  #openText(type: 'text' | 'reasoning', event: { id: string; providerMetadata?: ProviderMetadata }): number {
    const part: AssistantPart = { type, text: '', ...withMetadata(event) }
    return this.#slots.push({ providerId: event.id, part, text: '', isWhole: false }) - 1
  }

  #grow(event: Delta): void {
    const type = event.type === 'text-delta' ? 'text' : 'reasoning'
    const found = this.#findOpen(type, event.id)
    const partIndex = found >= 0 ? found : this.#openText(type, event)
    const slot = this.#slots[partIndex]
    if (slot === undefined) return
    slot.text += event.delta
    if (event.providerMetadata !== undefined) slot.part = { ...slot.part, ...withMetadata(event) }
    if (event.delta !== '') this.#emit({ type: event.type, messageId: this.#id, partIndex, delta: event.delta })
  }

  #endText(event: Extract<ModelEvent, { type: 'text-end' | 'reasoning-end' }>): void {
    const type = event.type === 'text-end' ? 'text' : 'reasoning'
    const slot = this.#slots[this.#findOpen(type, event.id)]
    if (slot === undefined) return
    slot.part = { ...slot.part, ...withMetadata(event) }
    slot.isWhole = true
  }

  /** The newest part of that kind and id that still grows; -1 if there is none. */
  #findOpen(type: AssistantPart['type'], providerId: string): number {
    for (let index = this.#slots.length - 1; index >= 0; index -= 1) {
      const slot = this.#slots[index]
      if (slot !== undefined && isOpen(slot, type, providerId)) return index
    }
    return -1
  }

  #openCall(id: string, toolName: string, providerExecuted: boolean): Slot {
    const part: AssistantPart = {
      type: 'tool-call',
      ...this.#ids.mint(id),
      toolName,
      inputText: '',
      ...(providerExecuted && { providerExecuted: true as const }),
    }
    const slot: Slot = { providerId: id, part, text: '', isWhole: false }
    const partIndex = this.#slots.push(slot) - 1
    this.#emit({ type: 'tool-input-delta', messageId: this.#id, partIndex, ...pickCall(part), delta: '' })
    return slot
  }

  #growCall(event: Extract<ModelEvent, { type: 'tool-input-delta' }>): void {
    const partIndex = this.#findOpen('tool-call', event.id)
    const slot = this.#slots[partIndex]
    if (slot?.part.type !== 'tool-call') return
    const { part } = slot
    // Shown, and replaced by the whole text when the call is complete: deltas never make a call that runs.
    slot.text += event.delta
    this.#emit({ type: 'tool-input-delta', messageId: this.#id, partIndex, ...pickCall(part), delta: event.delta })
  }

  #completeCall(event: Call): void {
    // Against calls that are still open only: providers repeat ids over replies, and some send none at all.
    const slot =
      this.#slots.find((open) => isOpen(open, 'tool-call', event.id)) ??
      this.#openCall(event.id, event.toolName, event.providerExecuted === true)
    if (slot.part.type !== 'tool-call') return
    const { callId, wireId } = slot.part
    const isProviders = event.providerExecuted ?? slot.part.providerExecuted
    slot.part = {
      type: 'tool-call',
      callId,
      wireId,
      toolName: event.toolName,
      // A provider may leave it out altogether: that means no arguments.
      inputText: event.inputText ?? '',
      ...(isProviders && { providerExecuted: true as const }),
      ...(event.dynamic && { dynamic: true as const }),
      ...withMetadata(event),
    }
    slot.isWhole = true
  }

  #addWhole(event: Exclude<ModelEvent, Delta | Call | Finish>): void {
    const part = this.#wholePart(event)
    if (part !== undefined) this.#slots.push({ providerId: '', part, text: '', isWhole: true })
  }

  #wholePart(event: ModelEvent): AssistantPart | undefined {
    switch (event.type) {
      case 'provider-result':
        return {
          type: 'provider-result',
          ...this.#callOf(event.id),
          toolName: event.toolName,
          result: event.result,
          ...(event.isError && { isError: true as const }),
          ...withMetadata(event),
        }
      case 'provider-approval':
        return {
          type: 'provider-approval',
          id: event.approvalId,
          callId: this.#callOf(event.id).callId,
          ...withMetadata(event),
        }
      case 'source':
      case 'file':
        return event
      case 'custom':
        return { type: 'custom', kind: event.kind, ...withMetadata(event) }
      default:
        // A kind this version does not know: providers add some inside a major version.
        return undefined
    }
  }

  #callOf(providerId: string): { callId: string; wireId: string } {
    const here = this.#slots.findLast((slot) => slot.part.type === 'tool-call' && slot.providerId === providerId)?.part
    if (here?.type === 'tool-call') return { callId: here.callId, wireId: here.wireId }
    return this.#ids.find(providerId) ?? { callId: providerId, wireId: providerId }
  }
}

function isOpen(slot: Slot, type: AssistantPart['type'], providerId: string): boolean {
  return slot.part.type === type && !slot.isWhole && slot.providerId === providerId
}

function wholePart({ part, text, isWhole }: Slot): AssistantPart {
  if (part.type === 'text' || part.type === 'reasoning') return { ...part, text }
  return part.type === 'tool-call' && !isWhole ? { ...part, inputText: text } : part
}

/**
 * Text may end anywhere; reasoning and calls count only whole: a signature or arguments cut short are refused. A call that
 * the output limit cut is kept all the same, to be answered: the model has to hear what became of it.
 */
function isKept(slot: Slot, { isBroken, isLengthCut }: { isBroken: boolean; isLengthCut: boolean }): boolean {
  const { part } = slot
  if (part.type === 'text') return slot.text !== '' || part.providerMetadata !== undefined
  if (part.type === 'tool-call') return slot.isWhole || (isLengthCut && !part.providerExecuted)
  return part.type !== 'reasoning' || !isBroken || slot.isWhole
}

function pickCall(part: Extract<AssistantPart, { type: 'tool-call' }>): {
  callId: string
  toolName: string
  providerExecuted?: true
} {
  return { callId: part.callId, toolName: part.toolName, ...(part.providerExecuted && { providerExecuted: true }) }
}

/** The last metadata that a part's events bring wins. */
function withMetadata(event: { providerMetadata?: ProviderMetadata }): { providerMetadata?: ProviderMetadata } {
  return event.providerMetadata === undefined ? {} : { providerMetadata: event.providerMetadata }
}
