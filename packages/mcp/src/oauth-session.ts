import { abortable, onAbort } from './abortable.ts'
import { AuthRecords, type PendingSignIn, type StoredTokens } from './auth-records.ts'
import type { Fetch } from './fetch.ts'
import type { ServerAuth } from './mcp-auth.ts'
import { describe, mcpError, ourErrorOf } from './mcp-error.ts'
import type { OAuthSettings, SignInWindow } from './oauth-options.ts'
import { runLocked } from './run-locked.ts'
import type { Challenge } from './sdk.ts'
import { SdkProvider } from './sdk-provider.ts'
import { type AnswerListener, listenForAnswers, newState, type SignInAnswer, takeAnswer } from './sign-in-answer.ts'

/** A token is refreshed this long before it ends: a request takes time, and a clock may be off. */
const EARLY_MS = 30_000

/** The sign-in at one server. */
export class OAuthSession implements ServerAuth {
  readonly #url: URL
  readonly #fetch: Fetch
  readonly #settings: OAuthSettings
  readonly #records: AuthRecords
  #signInUrl: { url: string; until: number } | undefined
  /** What the server said last about what it wants. */
  #challenge: Challenge = {}
  /** The token that the server refused last. */
  #refused: string | undefined
  /** Why nothing is tried until the person signs in again. */
  #refusal: Error | undefined

  constructor(url: URL, fetch: Fetch, settings: OAuthSettings) {
    this.#url = url
    this.#fetch = fetch
    this.#settings = settings
    this.#records = new AuthRecords(settings.vault, url.href)
  }

  get signInUrl(): string | undefined {
    const known = this.#signInUrl
    return known !== undefined && known.until > this.#settings.clock.now() ? known.url : undefined
  }

  readonly fetch: Fetch = async (url, init = {}) => {
    const token = await this.#usableToken()
    const response = await this.#send(url, init, token)
    if (response.status !== 401 && response.status !== 403) return response
    const { readChallenge } = await import('./sdk.ts')
    const challenge = readChallenge(response)
    const isTooLittle = response.status === 403 && challenge.error === 'insufficient_scope'
    if (response.status === 403 && !isTooLittle) return response
    await response.body?.cancel()
    this.#challenge = challenge
    this.#refused = token
    const fresh = await this.#locked(() => this.#renew(token, isTooLittle))
    const again = await this.#send(url, init, fresh)
    if (again.status !== 401 && !(isTooLittle && again.status === 403)) return again
    await again.body?.cancel()
    throw this.#refuse(`${this.#url.href} refuses a token that was issued a moment ago (${again.status}).`)
  }

  signIn(signal: AbortSignal): Promise<void> {
    // Before anything that takes time: a browser lets a page open a window in the click alone.
    const known = this.signInUrl
    const { flow, openWindow } = this.#settings
    // And listen before that: somebody who is signed in there comes back at once.
    const answers = listenForAnswers()
    const opened = flow === 'popup' ? openWindow(known ?? 'about:blank') : undefined
    return this.#signIn({ opened, known, answers }, signal).finally(() => {
      answers.close()
      opened?.close()
    })
  }

  async #signIn({ opened, known, answers }: OpenedSignIn, signal: AbortSignal): Promise<void> {
    const wasRefused = this.#refusal !== undefined
    this.#refusal = undefined
    const pending = await this.#locked(() => this.#begin(wasRefused))
    if (pending === undefined) return
    if (opened === null) {
      throw mcpError(
        'popup-blocked',
        `The browser blocked the sign-in window for ${this.#url.href}. Show a link to it.`,
      )
    }
    if (opened === undefined) {
      this.#settings.navigate(pending.url)
      // The page is left; if it is not, because somebody stopped it, there is no more to do either.
      return new Promise((_resolve, reject) => onAbort(signal, () => reject(signal.reason)))
    }
    if (known !== pending.url) opened.location.href = pending.url
    const answer = await this.#hear(answers, pending, signal)
    await this.#locked(() => this.#finish(pending, answer))
  }

  /** The sign-in that is under way, or a new one; `undefined` if there are good tokens by now. */
  async #begin(wasRefused: boolean): Promise<PendingSignIn | undefined> {
    const pending = await this.#pending()
    if (pending !== undefined) return pending
    const challenge = this.#challenge
    const held = await this.#tokens()
    // Another tab may have signed in.
    if (held !== undefined && held.access_token !== this.#refused && this.#isFresh(held)) return undefined
    const forgetRefresh = wasRefused || challenge.error === 'insufficient_scope'
    if (await this.#authorize({ challenge, forgetRefresh })) return undefined
    return this.#pending()
  }

  async #hear(answers: AnswerListener, pending: PendingSignIn, signal: AbortSignal): Promise<SignInAnswer> {
    const { clock, signInTimeoutMs } = this.#settings
    const controller = new AbortController()
    const stopListening = onAbort(signal, () => controller.abort(signal.reason))
    const stopTimer = clock.setTimer(
      () => controller.abort(mcpError('sign-in-expired', `Nobody signed in at ${this.#url.href} in time.`)),
      Math.max(0, pending.startedAt + signInTimeoutMs - clock.now()),
    )
    try {
      return await abortable(answers.next(pending.state), controller.signal)
    } finally {
      stopTimer()
      stopListening()
    }
  }

  /** Trade the code of an answer for tokens. */
  async #finish(pending: PendingSignIn, answer: SignInAnswer): Promise<void> {
    const current = await this.#pending()
    // Another tab heard the same answer first.
    if (current?.state !== pending.state) return
    const { code, error, errorDescription } = answer
    const isStranger = answer.issuer !== undefined && isOtherIssuer(pending, answer.issuer)
    if (code === undefined || isStranger) {
      await this.#forgetPending()
      const said = isStranger ? `the answer is by ${answer.issuer}, who was not asked` : (errorDescription ?? error)
      throw this.#refuse(`The sign-in at ${this.#url.href} was not granted: ${said}.`, 'sign-in-denied')
    }
    try {
      await this.#authorize({ code, pending })
    } finally {
      // A code and its secret are good once.
      await this.#forgetPending()
    }
  }

  async #usableToken(): Promise<string | undefined> {
    const tokens = await this.#tokens()
    if (tokens !== undefined && this.#isFresh(tokens)) return tokens.access_token
    if (tokens?.refresh_token !== undefined) return this.#locked(() => this.#renew(tokens.access_token, false))
    if (this.#refusal !== undefined) throw this.#refusal
    const pending = await this.#pending()
    const answer = pending && (await takeAnswer(pending.state))
    if (pending === undefined || answer === undefined) return tokens?.access_token
    await this.#locked(() => this.#finish(pending, answer))
    return (await this.#tokens())?.access_token
  }

  /** A token other than the one that was refused. Runs alone, so that a refresh token is used once. */
  async #renew(refused: string | undefined, isTooLittle: boolean): Promise<string> {
    const held = await this.#tokens()
    if (held !== undefined && held.access_token !== refused) return held.access_token
    if (this.#refusal !== undefined) throw this.#refusal
    const mayRefresh = held?.refresh_token !== undefined && !isTooLittle
    const pending = await this.#pending()
    // One that is under way is kept: a new one would make the code worthless with which the person comes back.
    if (pending === undefined || mayRefresh) {
      if (await this.#authorize({ challenge: this.#challenge, forgetRefresh: isTooLittle })) {
        const fresh = await this.#tokens()
        if (fresh !== undefined) return fresh.access_token
      }
    }
    throw mcpError('needs-auth', `${this.#url.href} wants a sign-in: call signIn() of its tools in a click.`, {
      facts: { url: this.#url.href },
    })
  }

  async #authorize(round: Round): Promise<boolean> {
    const { settings, records } = { settings: this.#settings, records: this.#records }
    const { authorize } = await import('./sdk.ts')
    const { code, pending, challenge = {}, forgetRefresh = false } = round
    const provider = new SdkProvider({ settings, records, state: newState(settings.flow), pending, forgetRefresh })
    try {
      const isDone = await authorize({
        ...challenge,
        provider,
        serverUrl: this.#url.href,
        fetch: this.#fetch,
        ...(code !== undefined && { authorizationCode: code }),
      })
      await this.#pending()
      return isDone
    } catch (error) {
      throw (
        ourErrorOf(error) ??
        mcpError('needs-auth', `The sign-in at ${this.#url.href} does not work: ${describe(error)}`, { cause: error })
      )
    }
  }

  #isFresh({ expiresAt = Number.POSITIVE_INFINITY }: StoredTokens): boolean {
    return expiresAt - EARLY_MS > this.#settings.clock.now()
  }

  async #tokens(): Promise<StoredTokens | undefined> {
    return this.#records.read<StoredTokens>('tokens')
  }

  /** The sign-in under way, unless it is too old; where to sign in is remembered, for a click that cannot wait. */
  async #pending(): Promise<PendingSignIn | undefined> {
    const pending = await this.#records.read<PendingSignIn>('pending')
    const until = (pending?.startedAt ?? 0) + this.#settings.signInTimeoutMs
    if (pending === undefined || until <= this.#settings.clock.now()) {
      this.#signInUrl = undefined
      return undefined
    }
    this.#signInUrl = { url: pending.url, until }
    return pending
  }

  async #forgetPending(): Promise<void> {
    await this.#records.remove('pending')
    this.#signInUrl = undefined
  }

  #refuse(message: string, reason: 'needs-auth' | 'sign-in-denied' = 'needs-auth'): Error {
    this.#refusal = mcpError(reason, message, { facts: { url: this.#url.href } })
    return this.#refusal
  }

  #send(url: string | URL, init: RequestInit, token: string | undefined): Promise<Response> {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return this.#fetch(url, { ...init, headers })
  }

  #locked<T>(run: () => Promise<T>): Promise<T> {
    return runLocked(`turnloop-mcp:${this.#url.href}`, run)
  }
}

/** Whoever was asked says its name in its metadata; an answer of another one must not be taken to it (RFC 9207). */
function isOtherIssuer({ discovery }: PendingSignIn, issuer: string): boolean {
  // As the SDK found it, or absent.
  const known = discovery as { authorizationServerMetadata?: { issuer?: string } } | undefined
  const asked = known?.authorizationServerMetadata?.issuer
  return asked !== undefined && asked !== issuer
}

interface OpenedSignIn {
  /** `null`: it was blocked. `undefined`: none was wanted. */
  readonly opened: SignInWindow | null | undefined
  /** Where it was opened, if that was known. */
  readonly known: string | undefined
  readonly answers: AnswerListener
}

interface Round {
  readonly challenge?: Challenge
  readonly code?: string
  readonly pending?: PendingSignIn
  readonly forgetRefresh?: boolean
}
