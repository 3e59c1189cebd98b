import type { JsonObject } from './json.ts'
import type { AssistantPart, ContentBlock, FilePart, Message, ToolResult, UserPart } from './messages.ts'
import type { ModelRequest, ModelTool } from './model.ts'

/**
 * How many tokens a text takes, roughly, without a tokenizer and in one pass.
 *
 * Rather a little high than low: for prose, code, JSON, tables, base64 and hex it is 0.9 to 1.2 times what the tokenizers
 * `cl100k_base` and `o200k_base` count. For other scripts these two differ by up to 3.6 times, and it lies between them.
 */
export function estimateTextTokens(text: string): number {
  let hundredths = 0
  let before = LINE
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 128) {
      const kind = kindOf(code)
      hundredths += ASCII[before + kind] ?? 0
      before = kind * KINDS
    } else {
      hundredths += costBeyondAscii(code)
      // What follows a letter goes on with its word, what follows anything else begins one.
      before = code < 0x2000 ? LOWER * KINDS : SIGN * KINDS
    }
  }
  return Math.ceil(hundredths / 100)
}

const KINDS = 6
const LINE = 1 * KINDS
const LOWER = 2
const SIGN = 5

/** The kind of an ASCII character: 0 space, 1 control, 2 lower case, 3 upper case, 4 digit, 5 sign. */
function kindOf(code: number): number {
  if (code > 96 && code < 123) return 2
  if (code === 32) return 0
  if (code > 64 && code < 91) return 3
  if (code > 47 && code < 58) return 4
  return code < 32 ? 1 : 5
}

/**
 * What a character of one kind (column) costs behind one of another (row), in hundredths of a token.
 *
 * A token rarely reaches over a change of kind, which is why one table serves words, camel case, numbers, base64 and hex.
 * Fitted to what the tokenizers `cl100k_base` and `o200k_base` count on text, code, JSON, tables, logs and random bytes.
 */
// biome-ignore format: a table
const ASCII = [
// space line lower upper digit sign
      3,  80,   95,   60,   75,  75, // space
     70,  35,   85,  100,   95, 100, // line
     15,  90,    5,  115,  120,  70, // lower
      5,  80,   35,   25,  160,  65, // upper
      5,  80,   85,  155,   33,  95, // digit
     10,  60,  110,   60,  105,   5, // sign
]

function costBeyondAscii(code: number): number {
  // Latin letters with marks cut their word in pieces; Cyrillic has whole words; other alphabets hardly any.
  if (code < 0x370) return 140
  if (code < 0x2000) return code >= 0x400 && code < 0x530 ? 45 : 75
  // Chinese, Japanese, Korean and full-width forms.
  const isWide = (code >= 0x2e80 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00) || code >= 0xff00
  if (isWide) return 110
  // Half of a surrogate pair: emoji, mostly.
  return code >= 0xd800 && code < 0xe000 ? 140 : 100
}

/** Whatever the size of a picture: providers shrink it, and charge from 250 to 1,600. */
const PICTURE = 1500
/** What frames a message, a call, a result or a tool on the wire. */
const FRAME = 6

const messageTokens = new WeakMap<Message, number>()

/** Tokens of a message. Counted once per message object: a closed one never changes. */
export function estimateMessageTokens(message: Message): number {
  const known = messageTokens.get(message)
  if (known !== undefined) return known
  const tokens =
    FRAME + (message.role === 'tool' ? total(message.results, countResult) : total<Part>(message.content, countPart))
  messageTokens.set(message, tokens)
  return tokens
}

type Part = UserPart | AssistantPart

function total<T>(list: readonly T[], count: (item: T) => number): number {
  let sum = 0
  for (const item of list) sum += count(item)
  return sum
}

function countPart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTextTokens(part.text)
    case 'reasoning':
      // Reasoning that comes without its text comes encrypted, in about six characters a token.
      return part.text === '' ? Math.ceil(countJson(part.providerMetadata) / 4) : estimateTextTokens(part.text)
    case 'tool-call':
      return FRAME + estimateTextTokens(part.toolName) + estimateTextTokens(part.inputText)
    case 'provider-result':
      return FRAME + countJson(part.result)
    case 'file':
      return countFile(part)
    default:
      return 0
  }
}

function countFile({ data, mediaType }: FilePart): number {
  if ('url' in data) return PICTURE
  return countBytes('blob' in data ? data.byteLength : data.base64.length * 0.75, mediaType)
}

/** Text is sent as it is; a page of a document, or a second of sound, is counted by what they usually weigh. */
function countBytes(bytes: number, mediaType = ''): number {
  if (mediaType.startsWith('image/')) return PICTURE
  return Math.max(PICTURE / 5, Math.ceil(bytes / (/^text\/|json|xml/.test(mediaType) ? 3.5 : 40)))
}

function countResult({ toolName, result }: ToolResult): number {
  const own = total(result.content, countBlock)
  // Structured content stands in for text that is not there.
  return FRAME + estimateTextTokens(toolName) + (own > 0 ? own : countJson(result.structuredContent))
}

function countBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTextTokens(block.text)
    case 'image':
    case 'audio':
      return countBytes(block.data.length * 0.75, block.mimeType)
    case 'resource': {
      const { uri, text, blob, mimeType } = block.resource
      return blob === undefined ? estimateTextTokens(text ?? uri) : countBytes(blob.length * 0.75, mimeType)
    }
    case 'resource_link':
      return estimateTextTokens(`${block.name} ${block.description ?? ''} ${block.uri}`)
  }
}

function countJson(value: unknown): number {
  return value === undefined ? 0 : estimateTextTokens(JSON.stringify(value))
}

const schemaTokens = new WeakMap<JsonObject, number>()

/** Tokens of a tool's name, description and schema; the schema is counted once per object. */
export function estimateToolTokens(tool: ModelTool): number {
  return FRAME + estimateTextTokens(tool.name) + estimateTextTokens(tool.description) + countSchema(tool.inputSchema)
}

function countSchema(schema: JsonObject): number {
  const tokens = schemaTokens.get(schema) ?? countJson(schema)
  schemaTokens.set(schema, tokens)
  return tokens
}

/** Tokens of all that a model is sent: instructions, messages, tools and the schema of the answer. */
export function estimateRequestTokens(request: ModelRequest): number {
  const { instructions = '', messages, tools, output } = request
  const fixed = estimateTextTokens(instructions) + (output === undefined ? 0 : countSchema(output.schema))
  return fixed + total(messages, estimateMessageTokens) + total(tools, estimateToolTokens)
}
