import type { Guardrail, GuardrailPhase } from './guardrail.ts'
import type { Eval, EvalScore } from './hook.ts'
import type { HookContext } from './hook-context.ts'
import type { HookRunner } from './hook-runner.ts'
import { type Guarded, runGuardrails } from './run-guardrails.ts'

/** Run guardrails over texts inside a turn. */
export function guardTexts(
  { turn }: HookRunner,
  guardrails: readonly Guardrail[],
  given: Pick<HookContext, 'signal'> &
    Partial<Pick<HookContext, 'run'>> & {
      readonly texts: readonly string[]
      readonly phase: GuardrailPhase
      readonly toolName?: string
      readonly isPartial?: true
    },
): Promise<Guarded> {
  const { texts, phase, toolName, isPartial, signal, run } = given
  const { turnId, sessionId, clock, info } = turn
  return runGuardrails(
    guardrails,
    { phase, texts, ...(toolName !== undefined && { toolName }), ...(isPartial && { isPartial }) },
    {
      turnId,
      signal,
      clock,
      metadata: info.metadata,
      ...(sessionId !== undefined && { sessionId }),
      ...(run !== undefined && { run }),
    },
  )
}

/** Note what an eval found. */
export function keepScore({ turn }: HookRunner, item: Eval, found: EvalScore, phase: 'input' | 'output'): void {
  const { score, passed, data } = found
  const result = { name: item.name, phase, score, ...(passed !== undefined && { passed }), ...(data && { data }) }
  turn.evals.push(result)
  turn.emit({ type: 'eval-result', ...result })
}
