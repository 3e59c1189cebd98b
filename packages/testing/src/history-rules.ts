/**
 * The rules a history must keep. What is quoted is what that API answers, with status 400, as its users report it;
 * "core" is the contract of core's own messages, on which every adapter builds.
 */
export type HistoryRule =
  /**
   * Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after". OpenAI Chat: "An assistant
   * message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'". Responses: "No tool
   * output found for function call". Gemini: "Please ensure that the number of function response parts is equal to the
   * number of function call parts of the function call turn".
   */
  | 'unanswered-call'
  /** As `unanswered-call`, for a reply that was cut: its calls are dropped, or answered like any other. */
  | 'partial-call'
  /**
   * Anthropic: "unexpected `tool_use_id` found in `tool_result` blocks". OpenAI Chat: "messages with role 'tool' must be
   * a response to a preceeding message with 'tool_calls'". Responses: "No tool call found for function call output".
   * Gemini: "Please ensure that function response turn comes immediately after a function call turn".
   */
  | 'orphan-result'
  /** Anthropic: "each tool_use must have a single result". OpenAI Chat: "Duplicate value for 'tool_call_id'". Gemini counts. */
  | 'duplicate-result'
  /** As `unanswered-call`: the result is there, but something else, a user's text or a reminder, stands before it. */
  | 'interrupted-pair'
  /** Gemini matches a response without an id by its place; core promises call order to everyone. */
  | 'result-order'
  /** Gemini matches a response to its call by the function's name. */
  | 'result-tool-name'
  /** Anthropic: "`tool_use` ids must be unique". OpenAI Chat: "Duplicate value for 'tool_call_id'". Responses: "Duplicate item found with id". */
  | 'duplicate-wire-id'
  /** Anthropic: "String should match pattern '^[a-zA-Z0-9_-]+$'". OpenAI: "Expected a string with minimum length 1". */
  | 'empty-wire-id'
  /** Core: a call id names one call of the session. */
  | 'duplicate-call-id'
  /** Core: a message id names one message. */
  | 'duplicate-message-id'
  /**
   * Anthropic: "unexpected `tool_use_id` found in `web_search_tool_result` blocks … must have a corresponding
   * `server_tool_use` block before it". A call of the provider without its result is lawful: the result may come later.
   */
  | 'orphan-provider-result'
  /** Anthropic: "first message must use the "user" role". Gemini: "Please ensure that multiturn requests alternate between user and model". */
  | 'first-message'
  /**
   * Requests only. Anthropic: "This model does not support assistant message prefill. The conversation must end with a
   * user message". Gemini: "Requests ending with a model turn are not supported". A reply that ended with `pause` is
   * sent back as it is.
   */
  | 'last-message'
  /** Anthropic: "all messages must have non-empty content". Gemini: "contents.parts must not be empty". */
  | 'empty-message'
  /**
   * Anthropic: "text content blocks must be non-empty" for any empty one, and "must contain non-whitespace text" where
   * white space is all that a message holds. A blank part with provider metadata is that provider's own and stays.
   */
  | 'blank-text'
  /**
   * Requests only, and only for reasoning that would be sent, with the provider's signature. Responses: "Item of type
   * 'reasoning' was provided without its required following item". Anthropic: "The final block in an assistant message
   * cannot be `thinking`".
   */
  | 'trailing-reasoning'
  /** Core, requests only: a note is the app's own word to people, and no model sees it. */
  | 'note-sent'

/** Who holds a rule. */
export type HistoryParty = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'core'

const EVERYONE: readonly HistoryParty[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'core']

/** Who refuses a history that breaks a rule. */
export const REFUSED_BY: Readonly<Record<HistoryRule, readonly HistoryParty[]>> = {
  'unanswered-call': EVERYONE,
  'partial-call': EVERYONE,
  'orphan-result': EVERYONE,
  'duplicate-result': EVERYONE,
  'interrupted-pair': ['openai-chat', 'anthropic', 'gemini', 'core'],
  'result-order': ['gemini', 'core'],
  'result-tool-name': ['gemini', 'core'],
  'duplicate-wire-id': ['openai-chat', 'openai-responses', 'anthropic', 'core'],
  'empty-wire-id': ['openai-chat', 'openai-responses', 'anthropic', 'core'],
  'duplicate-call-id': ['core'],
  'duplicate-message-id': ['core'],
  'orphan-provider-result': ['openai-responses', 'anthropic', 'core'],
  'first-message': ['anthropic', 'gemini'],
  'last-message': ['anthropic', 'gemini'],
  'empty-message': ['anthropic', 'gemini'],
  'blank-text': ['anthropic'],
  'trailing-reasoning': ['openai-responses', 'anthropic'],
  'note-sent': ['core'],
}

/** A broken rule, before anyone asked whose it is. */
export interface Finding {
  readonly rule: HistoryRule
  readonly index: number
  readonly message: string
}
