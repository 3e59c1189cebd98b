import { keptSettings } from '../app/kept-settings.ts'
import type { Observable } from '../app/observable.ts'
import { isRecord } from '../data/is-record.ts'
import type { ModelSettings } from '../model/providers.ts'

/** Where a model is and how it is spoken to. */
export type ModelKind = ModelSettings['kind']
/** Models that answer inside this page, or at least on this device. */
export type LocalKind = 'practice' | 'browser' | 'file'
/** Models that are reached over the network. */
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

const LOCAL_KINDS: readonly LocalKind[] = ['practice', 'browser', 'file']
const REMOTE_KINDS: readonly RemoteKind[] = ['openai-compatible', 'openai', 'anthropic', 'google']

const EMPTY: ModelChoice['remote'] = {
  'openai-compatible': { baseUrl: 'http://localhost:11434/v1', modelId: '', apiKey: '' },
  openai: { baseUrl: '', modelId: 'gpt-5.2', apiKey: '' },
  anthropic: { baseUrl: '', modelId: 'claude-sonnet-4-5', apiKey: '' },
  google: { baseUrl: '', modelId: 'gemini-2.5-flash', apiKey: '' },
}

/** The model choice of this page. */
export const modelChoice: Observable<ModelChoice> = keptSettings('ask-your-data/model', {
  read: toModelChoice,
  write: withoutKeys,
  isShared: false,
})

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

/** What may be written down: no key unless that was asked for. */
function withoutKeys(choice: ModelChoice): ModelChoice {
  if (choice.rememberKeys) return choice
  return { ...choice, remote: forEachRemote((kind) => ({ ...choice.remote[kind], apiKey: '' })) }
}

function toModelChoice(stored: Readonly<Record<string, unknown>>): ModelChoice {
  const remote = isRecord(stored.remote) ? stored.remote : {}
  // `?speed=full` lets the practice model answer without its pauses: for tests, and for the impatient.
  const isFast = new URLSearchParams(location.search).get('speed') === 'full' || stored.practiceSpeed === 'full'
  return {
    kind: [...LOCAL_KINDS, ...REMOTE_KINDS].find((kind) => kind === stored.kind) ?? 'practice',
    practiceSpeed: isFast ? 'full' : 'human',
    fileContextTokens: typeof stored.fileContextTokens === 'number' ? stored.fileContextTokens : 8192,
    remote: forEachRemote((kind) => toRemoteFields(remote[kind], EMPTY[kind])),
    rememberKeys: stored.rememberKeys === true,
  }
}

function toRemoteFields(stored: unknown, empty: RemoteFields): RemoteFields {
  const given = isRecord(stored) ? stored : {}
  const text = (name: keyof RemoteFields): string => {
    const value = given[name]
    return typeof value === 'string' ? value : empty[name]
  }
  return { baseUrl: text('baseUrl'), modelId: text('modelId'), apiKey: text('apiKey') }
}

function forEachRemote(make: (kind: RemoteKind) => RemoteFields): ModelChoice['remote'] {
  return {
    'openai-compatible': make('openai-compatible'),
    openai: make('openai'),
    anthropic: make('anthropic'),
    google: make('google'),
  }
}
