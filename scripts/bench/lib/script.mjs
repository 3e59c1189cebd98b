/**
 * What the mock model says, in a form that belongs to no peer: a peer turns it into its own model's protocol.
 *
 * @typedef {{ id: string, name: string, input: { n: number }, json: string }} ScriptCall
 * @typedef {{ type: 'calls', calls: ScriptCall[] } | { type: 'text', deltas: number }} ScriptStep
 *   The model asks for tools, or answers in so many pieces.
 */

export const TOOL = 'noop'
export const TOOL_DESCRIPTION = 'does nothing'
export const PROMPT = 'go'
export const SYSTEM = 'You are a helpful agent.'

/** JSON Schema of the tool's arguments. */
export const TOOL_SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

/** An object, as most tools return. */
export const TOOL_RESULT = { ok: true }

// Constant pieces of about four characters: none is made during a timed run.
const CHUNKS = ' the| of| agent| to|ing| and| step| in|ed.| loop| is| a|tion| for| on| it'.split('|')

/** The text of one delta. @param {number} index @returns {string} */
export const chunk = (index) => CHUNKS[index & 15] ?? ''

/** How many characters so many deltas have. @param {number} deltas @returns {number} */
export function textLength(deltas) {
  let length = 0
  for (let index = 0; index < deltas; index++) length += chunk(index).length
  return length
}

/** @param {number} step @param {number} index @returns {ScriptCall} */
function call(step, index) {
  const input = { n: step }
  return { id: `c${step}_${index}`, name: TOOL, input, json: JSON.stringify(input) }
}

/** So many steps with one tool call each, then a short answer. @param {number} steps @returns {ScriptStep[]} */
export const loopScript = (steps) => [
  ...Array.from({ length: steps }, (_, step) => ({ type: /** @type {const} */ ('calls'), calls: [call(step, 0)] })),
  { type: 'text', deltas: 4 },
]

/** One step with `width` tool calls, then a short answer. @param {number} width @returns {ScriptStep[]} */
export const fanoutScript = (width) => [
  { type: 'calls', calls: Array.from({ length: width }, (_, index) => call(0, index)) },
  { type: 'text', deltas: 4 },
]

/** One answer of so many deltas. @param {number} deltas @returns {ScriptStep[]} */
export const streamScript = (deltas) => [{ type: 'text', deltas }]

/**
 * An earlier conversation: messages of user and assistant in turn, about 120 characters each.
 *
 * @param {number} count
 * @returns {{ role: 'user' | 'assistant', text: string }[]}
 */
export const historyTexts = (count) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `message ${index}: ${'lorem ipsum dolor sit amet '.repeat(4)}`,
  }))
