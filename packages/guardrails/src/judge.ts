import {
  type Agent,
  type CheckTrigger,
  type Guardrail,
  type GuardrailContext,
  type GuardrailSubject,
  TurnloopError,
} from '@turnloop/core'
import {
  checkOptions,
  type GuardrailSettings,
  isFunction,
  notAllowed,
  optional,
  withSettings,
} from './guardrail-settings.ts'

/** What a verdict of the judge means: the text may pass, or why not. */
export type Judgement = true | { readonly message: string; readonly trigger?: CheckTrigger }

/** Options of `judge`. */
export interface JudgeOptions<Verdict> extends GuardrailSettings {
  /** What the judge is asked: a sentence before the text, or the whole of it. Default: to judge the text by its instructions. */
  prompt?: string | ((subject: GuardrailSubject) => string)
  /** Read the verdict. What it throws blocks. */
  pass(verdict: Verdict, subject: GuardrailSubject): Judgement | Promise<Judgement>
}

const PROMPT = 'Judge the text below by your instructions.'

/**
 * A guardrail that asks another agent, one with `output: structured(schema)`; `pass` reads the answer.
 *
 * The text goes in as a JSON string, so that it cannot pretend to have ended. Blocks with the trigger that `pass` gives,
 * else `input_not_allowed` or `output_not_allowed`, by where the text comes from. Inside a turn, the agent's usage counts for
 * that turn, and its events show. Stop and the time limit reach the agent. A turn of it that does not complete, or has no
 * output, throws `not-completed`, and so blocks. Each check costs a model call: put rules first. A reply is read once, when
 * it is whole, and one without any text is not read. Throws `bad-option`.
 */
export function judge<Verdict>(agent: Agent<Verdict>, options: JudgeOptions<Verdict>): Guardrail {
  checkOptions(
    'judge',
    { agent, ...options },
    {
      agent: (value) => (isAgent(value) ? undefined : 'must be an agent: make one with createAgent'),
      prompt: optional((value) =>
        typeof value === 'string' || typeof value === 'function' ? undefined : 'must be text or a function',
      ),
      pass: isFunction,
    },
  )
  const { prompt = PROMPT, pass } = options
  return withSettings(options, {
    name: 'judge',
    check: async (subject, context) => {
      // The whole is still to come; and a reply that only calls tools says nothing to anybody.
      if (subject.isPartial || (subject.phase === 'output' && subject.text.trim() === '')) return undefined
      context.signal.throwIfAborted()
      const input =
        typeof prompt === 'string'
          ? `${prompt}\n\nThe text, as a JSON string: ${JSON.stringify(subject.text)}`
          : prompt(subject)
      const verdict = await askJudge(agent, input, context)
      const judgement = await pass(verdict, subject)
      if (judgement === true) return undefined
      if (typeof judgement?.message !== 'string') {
        throw new TurnloopError('bad-option', 'judge: "pass" must give true or { message }.')
      }
      return { block: judgement.message, trigger: judgement.trigger ?? notAllowed(subject.phase) }
    },
  })
}

/** Run the agent: as a part of the turn, where there is one. */
async function askJudge<Verdict>(
  agent: Agent<Verdict>,
  input: string,
  { run, signal }: GuardrailContext,
): Promise<Verdict> {
  if (run !== undefined) {
    const { output } = await run(agent, input)
    if (output === undefined) throw noVerdict(agent.name, 'completed')
    return output
  }
  const { outcome, output } = await agent.turn(input, { signal }).untilDone()
  signal.throwIfAborted()
  if (outcome.kind !== 'completed' || output === undefined) throw noVerdict(agent.name, outcome.kind)
  return output
}

function noVerdict(name: string, outcome: string): TurnloopError {
  const problem =
    outcome === 'completed' ? 'gave no output: create it with output: structured(schema)' : `ended ${outcome}`
  return new TurnloopError('not-completed', `judge: the agent ${name} ${problem}.`, { facts: { outcome } })
}

function isAgent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'turn' in value && typeof value.turn === 'function'
}
