import type { Guardrail, GuardrailSubject } from './guardrail.ts'
import type { Eval, EvalScore } from './hook.ts'
import { runAgent } from './hook-agent.ts'
import type { HookRunner } from './hook-runner.ts'
import { type Guarded, runGuardrails } from './run-guardrails.ts'

/** Run guardrails over texts inside a turn. */
export function guardTexts(
  runner: HookRunner,
  guardrails: readonly Guardrail[],
  { signal, ...subject }: Omit<GuardrailSubject, 'text'> & { readonly signal: AbortSignal },
): Promise<Guarded> {
  const { turnId, sessionId, clock, info } = runner.turn
  return runGuardrails(guardrails, subject, {
    turnId,
    signal,
    clock,
    metadata: info.metadata,
    ...(sessionId !== undefined && { sessionId }),
    run: (agent, input, own = signal) => runAgent(runner.turn, agent, { input, signal: own, isQuiet: true }),
  })
}

/** Note what an eval found. */
export function keepScore({ turn }: HookRunner, item: Eval, found: EvalScore, phase: 'input' | 'output'): void {
  const { score, passed, data } = found
  const result = { name: item.name, phase, score, ...(passed !== undefined && { passed }), ...(data && { data }) }
  turn.evals.push(result)
  turn.emit({ type: 'eval-result', ...result })
}
