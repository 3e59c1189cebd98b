import type { McpState } from '@turnloop/mcp'

/** How it stands with a server, in words, and what a person can do about it. */
export interface ServerWords {
  readonly words: string
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | 'quiet'
  /** What went wrong and how it is mended. */
  readonly detail?: string
  readonly action?: 'sign-in' | 'try-again'
}

const FAILURES: Partial<Record<NonNullable<McpState['reason']>, string>> = {
  unreachable: 'Cannot be reached',
  cors: 'Does not let this page in',
  refused: 'Answered with an error',
  'not-mcp': 'Is no MCP server',
  'timed-out': 'Does not answer',
  'session-lost': 'Forgot this page',
  'connection-lost': 'The connection broke',
  'sign-in-denied': 'You did not sign in',
  'sign-in-expired': 'The sign-in took too long',
  'popup-blocked': 'The browser blocked the window',
}

/** What to do, where that can be said better to a person than to a developer. */
const REPAIRS: Partial<Record<NonNullable<McpState['reason']>, string>> = {
  unreachable: 'It is down, or the address is wrong.',
  'timed-out': 'It took too long. It may be busy, or not what it seems.',
}

/** The state of a server in words. */
export function serverWords({ status, reason, message, server }: McpState): ServerWords {
  const told = (reason && REPAIRS[reason]) ?? message
  const detail = told === undefined ? {} : { detail: told }
  switch (status) {
    case 'idle':
      return { words: 'Not connected yet', tone: 'quiet', action: 'try-again' }
    case 'connecting':
      return { words: 'Connecting…', tone: 'busy' }
    case 'ready':
      return { words: server === undefined ? 'Ready' : `Ready: ${server.name} ${server.version}`, tone: 'good' }
    case 'reconnecting':
      return { words: 'Connecting again…', tone: 'busy', ...detail, action: 'try-again' }
    case 'needs-auth': {
      const isAsked = reason === undefined || reason === 'needs-auth'
      const words = isAsked ? 'Wants you to sign in' : `Wants you to sign in. ${FAILURES[reason] ?? ''}`.trim()
      return { words, tone: 'warn', ...(!isAsked && detail), action: 'sign-in' }
    }
    case 'failed':
      return { words: (reason && FAILURES[reason]) ?? 'Cannot be used', tone: 'bad', ...detail, action: 'try-again' }
    case 'closed':
      return { words: 'Let go of', tone: 'quiet' }
  }
}
