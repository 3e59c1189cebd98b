import type { Guardrail, GuardrailPhase, GuardrailVerdict } from '@turnloop/core'

/** The verdict of a guardrail on one text. */
export async function checkText(
  guardrail: Guardrail,
  text: string | readonly string[],
  more: { phase?: GuardrailPhase; isPartial?: true; signal?: AbortSignal } = {},
): Promise<GuardrailVerdict> {
  const { phase = 'input', signal = new AbortController().signal, ...partial } = more
  const texts = typeof text === 'string' ? [text] : text
  return guardrail.check({ phase, texts, text: texts.join('\n'), ...partial }, { turnId: 'turn', signal })
}

/** Which texts of a table went the wrong way, and a line that counts them. */
export async function tableOf(
  guardrail: Guardrail,
  { name, trips, passes }: { name: string; trips: readonly string[]; passes: readonly string[] },
): Promise<{ missed: string[]; falsely: string[]; line: string }> {
  const missed: string[] = []
  const falsely: string[] = []
  for (const text of trips) if ((await checkText(guardrail, text)) === undefined) missed.push(text)
  for (const text of passes) if ((await checkText(guardrail, text)) !== undefined) falsely.push(text)
  const caught = trips.length - missed.length
  const line = `${name}: ${caught} of ${trips.length} caught, ${falsely.length} of ${passes.length} false`
  return { missed, falsely, line }
}

/** The text that a guardrail puts in the place of another; the same one where it lets it pass. */
export async function replaced(guardrail: Guardrail, text: string, isPartial = false): Promise<string> {
  const verdict = await checkText(guardrail, text, isPartial ? { isPartial: true } : {})
  if (verdict === undefined) return text
  if (!('replace' in verdict)) throw new Error('The guardrail blocks.')
  return verdict.replace[0] ?? ''
}
