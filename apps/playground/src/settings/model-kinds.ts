import { isRemote, type ModelChoice, type ModelKind, type RemoteKind } from './model-choice.ts'

/** A kind of model in words. */
export interface ModelKindWords {
  readonly kind: ModelKind
  readonly label: string
  readonly description: string
}

/** The kinds of models one can choose from, the one that needs nothing first. */
export const MODEL_KINDS: readonly ModelKindWords[] = [
  { kind: 'practice', label: 'Practice model', description: 'No AI, works offline. Rule-based, inside this page.' },
  { kind: 'browser', label: 'The browser’s own model', description: 'Runs on this device, without a key.' },
  { kind: 'file', label: 'A model from a file', description: 'A GGUF file on this device, run inside this page.' },
  {
    kind: 'openai-compatible',
    label: 'OpenAI-compatible',
    description: 'Ollama, LM Studio, vLLM, OpenRouter or a proxy of your own.',
  },
  { kind: 'openai', label: 'OpenAI', description: 'With your own key.' },
  { kind: 'anthropic', label: 'Anthropic', description: 'With your own key.' },
  { kind: 'google', label: 'Google', description: 'With your own key.' },
]

const HOSTS: Readonly<Record<Exclude<RemoteKind, 'openai-compatible'>, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
}

/** Where questions, table extracts and the key go with this choice: a host, or `undefined` if they stay in the page. */
export function destination({ kind, remote }: ModelChoice): string | undefined {
  if (!isRemote(kind)) return undefined
  if (kind !== 'openai-compatible') return HOSTS[kind]
  const { baseUrl } = remote[kind]
  return URL.canParse(baseUrl, location.href) ? new URL(baseUrl, location.href).host : 'the address above'
}

const THIS_DEVICE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether the chosen model answers without a network: in the page, or from a server of this device. */
export function isOnThisDevice(choice: ModelChoice): boolean {
  if (!isRemote(choice.kind)) return true
  const { baseUrl } = choice.remote['openai-compatible']
  if (choice.kind !== 'openai-compatible' || !URL.canParse(baseUrl, location.href)) return false
  return THIS_DEVICE.has(new URL(baseUrl, location.href).hostname)
}

/** The chosen model in a few words, for the button that leads to its settings. `fileTitle` is the model of the file that is open. */
export function modelTitle(choice: ModelChoice, fileTitle?: string): { name: string; detail: string } {
  if (choice.kind === 'practice') return { name: 'Practice model', detail: 'no AI, works offline' }
  const { kind } = choice
  const words = MODEL_KINDS.find((known) => known.kind === kind)
  if (kind === 'file' && fileTitle !== undefined) return { name: fileTitle, detail: 'from a file, on this device' }
  if (!isRemote(kind)) return { name: words?.label ?? '', detail: 'on this device' }
  return { name: choice.remote[kind].modelId || 'No model yet', detail: words?.label ?? '' }
}
