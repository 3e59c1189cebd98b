import type { Entry, EntryDraft } from '@turnloop/core'

/**
 * A log from what happened, in order: a name is a turn of four entries, or of three if it is in capitals and asks nothing; a
 * number goes back to that entry.
 */
export function toldLog(...steps: readonly (string | number)[]): Entry[] {
  const entries: Entry[] = []
  const add = (draft: EntryDraft): void => void entries.push({ ...draft, sequence: entries.length + 1, at: 0 })
  for (const step of steps) {
    if (typeof step === 'number') add({ type: 'rewound', to: step, critical: true })
    else
      for (const draft of turn(step).filter((_, index) => index !== 1 || step !== step.toUpperCase()))
        add({ ...draft, turnId: step })
  }
  return entries
}

function turn(id: string): EntryDraft[] {
  const said = { createdAt: 0, content: [] } as const
  const ended = { outcome: { kind: 'completed' }, usage: {}, iterations: 1, hookErrors: [], evals: [] } as const
  return [
    { type: 'turn-started', agentName: 'agent', modelId: 'model', history: true },
    { type: 'message', message: { ...said, id: `${id}?`, role: 'user' } },
    { type: 'message', message: { ...said, id: `${id}!`, role: 'assistant', stopReason: 'endTurn' } },
    { type: 'turn-ended', ...ended },
  ]
}
