import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider'
import type { ModelRequest, ModelSettings, ModelTool, ToolChoice } from '@turnloop/core'
import type { CallOptions, PromptMessage } from './spec-versions.ts'

/** The provider's call options for a request whose prompt is written; what is not set is absent. */
export function toCallOptions(request: ModelRequest, prompt: PromptMessage[], defaults: ModelSettings): CallOptions {
  const { stopSequences, ...settings } = mergeSettings(defaults, request.settings ?? {})
  const { toolChoice, tools } = request
  return {
    prompt,
    ...settings,
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
    ...(tools.length > 0 && {
      tools: tools.map(toFunctionTool),
      ...(toolChoice !== undefined && { toolChoice: toToolChoice(toolChoice) }),
    }),
  }
}

/** Settings of a request over those of the model. Headers and a provider's options are joined key by key. */
function mergeSettings(defaults: ModelSettings, wanted: ModelSettings): ModelSettings {
  const headers = { ...defaults.headers, ...wanted.headers }
  const providerOptions = { ...defaults.providerOptions }
  for (const [provider, options] of Object.entries(wanted.providerOptions ?? {})) {
    providerOptions[provider] = { ...providerOptions[provider], ...options }
  }
  return {
    ...defaults,
    ...wanted,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

function toFunctionTool({ description, inputSchema, name }: ModelTool): LanguageModelV4FunctionTool {
  // The core keeps a schema as plain JSON; providers type the same thing as JSON Schema 7.
  return { type: 'function', name, description, inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'] }
}

function toToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.toolName }
}
