import { type Observable, observable } from '../app/observable.ts'
import type { ModelSettings } from '../model/providers.ts'

export type ModelKind = ModelSettings['kind']
/** Models that answer inside this page, or at least on this device. */
export type LocalKind = 'practice' | 'browser' | 'file'
export type RemoteKind = Exclude<ModelKind, LocalKind>

/** What the settings hold for a model that is not in the page. */
export interface RemoteFields {
  readonly baseUrl: string
  readonly modelId: string
  readonly apiKey: string
}

/** Which model answers, with what was filled in for each kind, so that trying another one loses nothing. */
export interface ModelChoice {
  readonly kind: ModelKind
  readonly practiceSpeed: 'human' | 'full'
  /** How many tokens a model from a file may hold. */
  readonly fileContextTokens: number
  readonly remote: Readonly<Record<RemoteKind, RemoteFields>>
  /** Keep the keys on this device, too. Off, they are forgotten with the page. */
  readonly rememberKeys: boolean
}

const KEY = 'ask-your-data/model'
const LOCAL_KINDS: readonly LocalKind[] = ['practice', 'browser', 'file']
const REMOTE_KINDS: readonly RemoteKind[] = ['openai-compatible', 'openai', 'anthropic', 'google']

const EMPTY: ModelChoice['remote'] = {
  'openai-compatible': { baseUrl: 'http://localhost:11434/v1', modelId: '', apiKey: '' },
  openai: { baseUrl: '', modelId: 'gpt-5.2', apiKey: '' },
  anthropic: { baseUrl: '', modelId: 'claude-sonnet-4-5', apiKey: '' },
  google: { baseUrl: '', modelId: 'gemini-2.5-flash', apiKey: '' },
}

/** The model choice of this page. */
export const modelChoice: Observable<ModelChoice> = createModelChoice()

/** Change some of the model choice. */
export function setModelChoice(changes: Partial<ModelChoice>): void {
  modelChoice.set({ ...modelChoice.get(), ...changes })
}

/** Whether a model is reached over the network. */
export function isRemote(kind: ModelKind): kind is RemoteKind {
  return REMOTE_KINDS.some((remote) => remote === kind)
}

/** Change some fields of one kind of model. */
export function setRemoteFields(kind: RemoteKind, changes: Partial<RemoteFields>): void {
  const { remote } = modelChoice.get()
  setModelChoice({ remote: { ...remote, [kind]: { ...remote[kind], ...changes } } })
}

/** The choice as what a model is made from. */
export function toModelSettings({ kind, practiceSpeed, remote }: ModelChoice): ModelSettings {
  if (kind === 'practice') return { kind, speed: practiceSpeed }
  if (kind === 'browser' || kind === 'file') return { kind }
  const { baseUrl, modelId, apiKey } = remote[kind]
  if (kind !== 'openai-compatible') return { kind, modelId: modelId.trim(), apiKey: apiKey.trim() }
  const key = apiKey.trim()
  return { kind, baseUrl: baseUrl.trim(), modelId: modelId.trim(), ...(key !== '' && { apiKey: key }) }
}

function createModelChoice(): Observable<ModelChoice> {
  const choice = observable(readChoice())
  choice.subscribe(() => {
    try {
      localStorage.setItem(KEY, JSON.stringify(forStorage(choice.get())))
    } catch {
      // Storage may be off or full. The choice then holds until the page is closed.
    }
  })
  return choice
}

/** What may be written down: no key unless that was asked for. */
function forStorage(choice: ModelChoice): ModelChoice {
  if (choice.rememberKeys) return choice
  const entries = REMOTE_KINDS.map((kind) => [kind, { ...choice.remote[kind], apiKey: '' }] as const)
  // The pairs were made from all kinds, one each.
  return { ...choice, remote: Object.fromEntries(entries) as Record<RemoteKind, RemoteFields> }
}

function readChoice(): ModelChoice {
  const stored = readStored()
  const remote = (kind: RemoteKind): RemoteFields => ({ ...EMPTY[kind], ...stored.remote?.[kind] })
  return {
    kind: [...LOCAL_KINDS, ...REMOTE_KINDS].find((kind) => kind === stored.kind) ?? 'practice',
    // `?speed=full` lets the practice model answer without its pauses: for tests, and for the impatient.
    practiceSpeed:
      new URLSearchParams(location.search).get('speed') === 'full' ? 'full' : (stored.practiceSpeed ?? 'human'),
    fileContextTokens: typeof stored.fileContextTokens === 'number' ? stored.fileContextTokens : 8192,
    remote: {
      'openai-compatible': remote('openai-compatible'),
      openai: remote('openai'),
      anthropic: remote('anthropic'),
      google: remote('google'),
    },
    rememberKeys: stored.rememberKeys === true,
  }
}

function readStored(): Partial<ModelChoice> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    // Written by `forStorage`; every member is looked at again where it is used.
    return typeof value === 'object' && value !== null ? (value as Partial<ModelChoice>) : {}
  } catch {
    return {}
  }
}
