import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider'
import type { ModelOutput, ModelRequest, ModelSettings, ModelTool, ToolChoice } from '@turnloop/core'
import { markPrompt, markTools } from './cache-marks.ts'
import { closeSchema, NOT_STRICT } from './output-schema.ts'
import { joinOptions } from './provider-options.ts'
import type { CallOptions, PromptMessage } from './spec-versions.ts'

/** The provider's call options for a request whose prompt is written; what is not set is absent. */
export function toCallOptions(request: ModelRequest, prompt: PromptMessage[], defaults: ModelSettings): CallOptions {
  const { cacheMarks: marks, output, toolChoice } = request
  const answer = output && closeSchema(output.schema)
  const base = answer?.isStrict === false ? mergeSettings({ providerOptions: NOT_STRICT }, defaults) : defaults
  const { stopSequences, ...settings } = mergeSettings(base, request.settings ?? {})
  const tools = request.tools.map(toFunctionTool)
  return {
    prompt: marks === undefined ? prompt : markPrompt(prompt, marks),
    ...settings,
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
    ...(answer !== undefined && { responseFormat: toResponseFormat({ ...output, schema: answer.schema }) }),
    ...(tools.length > 0 && {
      tools: marks === undefined ? tools : markTools(tools, marks),
      ...(toolChoice !== undefined && { toolChoice: toToolChoice(toolChoice) }),
    }),
  }
}

/** Settings of a request over those of the model. Headers and a provider's options are joined key by key. */
function mergeSettings(defaults: ModelSettings, wanted: ModelSettings): ModelSettings {
  const headers = { ...defaults.headers, ...wanted.headers }
  const providerOptions = joinOptions(defaults.providerOptions, wanted.providerOptions)
  return {
    ...defaults,
    ...wanted,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

function toResponseFormat({ schema, ...names }: ModelOutput): NonNullable<CallOptions['responseFormat']> {
  // As with a tool's: plain JSON here, JSON Schema 7 there.
  return { type: 'json', schema: schema as LanguageModelV4FunctionTool['inputSchema'], ...names }
}

function toFunctionTool({ description, inputSchema, name }: ModelTool): LanguageModelV4FunctionTool {
  // The core keeps a schema as plain JSON; providers type the same thing as JSON Schema 7.
  return { type: 'function', name, description, inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'] }
}

function toToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.toolName }
}
