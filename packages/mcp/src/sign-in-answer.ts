import { memoryVault, storageVault, type TokenVault } from './token-vault.ts'

/** What the sign-in page of a server sent the person back with. */
export interface SignInAnswer {
  /** Which sign-in this answers. */
  readonly state: string
  readonly code?: string
  /** `access_denied` if the person said no. */
  readonly error?: string
  readonly errorDescription?: string
  /** Who answered, where it says so (RFC 9207). */
  readonly issuer?: string
}

/** How the person comes back: in a popup beside the page, or to the page itself. */
export type SignInFlow = 'popup' | 'redirect'

/** What `finishSignIn` did. */
export interface FinishedSignIn {
  readonly flow: SignInFlow
  /** The server's word for what went wrong; absent if nothing did. */
  readonly error?: string
}

const CHANNEL = 'turnloop-mcp-sign-in'
const STATE = /^turnloop\.(popup|redirect)\./

/** A state that no other sign-in has, and that says how to hand the answer over. */
export function newState(flow: SignInFlow): string {
  return `turnloop.${flow}.${crypto.randomUUID()}`
}

/**
 * Hand over what the server sent back: call it on the page that `redirectUrl` names, before anything else.
 *
 * From a popup the answer goes to the page that opened it, and the popup is closed. Without one it is kept for this tab
 * until the tools are used; the code is taken out of the address. `undefined` if the address is no answer of ours.
 */
export function finishSignIn(address: string | URL = location.href): FinishedSignIn | undefined {
  const url = new URL(address)
  const answer = readAnswer(url.searchParams)
  const flow = STATE.exec(answer?.state ?? '')?.[1]
  if (answer === undefined || (flow !== 'popup' && flow !== 'redirect')) return undefined
  if (flow === 'popup') {
    const channel = new BroadcastChannel(CHANNEL)
    channel.postMessage(answer)
    channel.close()
  } else {
    answers().set(answerKey(answer.state), JSON.stringify(answer))
  }
  if (typeof window !== 'undefined') leave(url, flow)
  return { flow, ...(answer.error !== undefined && { error: answer.error }) }
}

function leave(url: URL, flow: SignInFlow): void {
  for (const name of PARAMETERS) url.searchParams.delete(name)
  // A page that could read the address, or a server that is told of it, must not find the code there.
  if (location.href.startsWith(url.origin + url.pathname)) history.replaceState(history.state, '', url)
  if (flow === 'popup') window.close()
}

const PARAMETERS = ['code', 'state', 'error', 'error_description', 'error_uri', 'iss']

function readAnswer(parameters: URLSearchParams): SignInAnswer | undefined {
  const take = (name: string): string | undefined => parameters.get(name) ?? undefined
  const [state, code, error] = [take('state'), take('code'), take('error')]
  if (state === undefined || (code === undefined && error === undefined)) return undefined
  const [errorDescription, issuer] = [take('error_description'), take('iss')]
  return {
    state,
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(errorDescription !== undefined && { errorDescription }),
    ...(issuer !== undefined && { issuer }),
  }
}

/** The answer that was kept for a sign-in without a popup; it is given once. */
export async function takeAnswer(state: string): Promise<SignInAnswer | undefined> {
  const key = answerKey(state)
  const text = await answers().get(key)
  if (text === undefined) return undefined
  await answers().remove(key)
  // Written above.
  const answer: SignInAnswer = JSON.parse(text)
  return answer
}

/** Hears the answers of popups. */
export interface AnswerListener {
  /** The answer to one sign-in, also if it came before this was called. */
  next(state: string): Promise<SignInAnswer>
  close(): void
}

/** Listen for the answers of popups, from now on. */
export function listenForAnswers(): AnswerListener {
  const heard: SignInAnswer[] = []
  let look = (): void => {}
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<SignInAnswer>) => {
    heard.push(data)
    look()
  }
  return {
    next: (state) =>
      new Promise((resolve) => {
        look = () => {
          const answer = heard.find((known) => known.state === state)
          if (answer !== undefined) resolve(answer)
        }
        look()
      }),
    close: () => channel.close(),
  }
}

function answerKey(state: string): string {
  return `turnloop-mcp-answer:${state}`
}

let kept: TokenVault | undefined

/** Of this tab. */
function answers(): TokenVault {
  kept ??= typeof sessionStorage === 'undefined' ? memoryVault() : storageVault(sessionStorage)
  return kept
}
