import type { ModelCapabilities } from '@turnloop/core'
import type { LanguageModel } from './spec-versions.ts'

/** A provider by its name, and those of its models that take a schema. */
type Row = readonly [provider: RegExp, models: RegExp]

/**
 * Providers whose package sends the schema itself, and for which models; of another of their models it is known that it
 * does not, and of another provider nothing is known.
 *
 * Not Claude through Vertex or Bedrock: their packages stand a forced tool in for the schema. Not Groq: it takes a schema
 * only without streaming. Not DeepSeek: its package writes the schema into the prompt.
 */
const SCHEMA_TAKERS: readonly Row[] = [
  // Azure's model ids are names that its customers gave.
  [
    /^(openai|azure)\S*\.(chat|responses)$/,
    /^(?!gpt-3|gpt-4(-\d{4}|-turbo|-32k|-vision|o-2024-05-13|$)|o1-(mini|preview)|chatgpt-4o)/,
  ],
  [/^anthropic\./, /^(?=.*claude-)(?!.*claude-(instant|v?2|3|(sonnet|opus)-4(-(?![1-9](?!\d))|@|$)))/],
  [/^google\.(generative-ai|vertex)/, /(^|\/)gemini-(?!1\.0|.*(image|tts|live|audio))/],
  [/^mistral\./, /^(?!codestral-mamba)/],
  [/^xai\./, /^grok-(?!beta|vision|.*image)/],
]

/** What is known of a model from its names, and from what its package says of it. */
export function capabilitiesOf(model: LanguageModel): ModelCapabilities {
  // Of an endpoint that speaks OpenAI's protocol, only who set it up can know.
  const said = 'supportsStructuredOutputs' in model ? model.supportsStructuredOutputs : undefined
  if (typeof said === 'boolean') return { structuredOutput: said }
  const row = SCHEMA_TAKERS.find(([provider]) => provider.test(model.provider))
  return row === undefined ? {} : { structuredOutput: row[1].test(model.modelId) }
}
