/** A call as a scripted provider sends it. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Chat Completions chunks of a text reply, in two pieces. */
export function chatText(text: string): unknown[] {
  return chatReply('stop', text)
}

/** Chat Completions chunks of a text, in two pieces, and a finish of any kind. */
export function chatReply(reason: string, text: string): unknown[] {
  const half = Math.ceil(text.length / 2)
  return [
    chatChunk({ role: 'assistant', content: text.slice(0, half) }),
    chatChunk({ content: text.slice(half) }),
    ...chatEnd(reason),
  ]
}

/** Chat Completions chunks of a reply that makes calls, arguments in two pieces, without their end. */
export function chatCallParts(calls: readonly WireCall[]): unknown[] {
  return calls.flatMap(({ id, input, name }, index) => {
    const half = Math.ceil(input.length / 2)
    return [
      chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: input.slice(0, half) } }] }),
      chatChunk({ tool_calls: [{ index, function: { arguments: input.slice(half) } }] }),
    ]
  })
}

/** Chat Completions chunks of a whole reply that makes calls. */
export function chatCalls(...calls: readonly WireCall[]): unknown[] {
  return [...chatCallParts(calls), ...chatEnd('tool_calls')]
}

function chatEnd(reason: string): unknown[] {
  return [
    { ...chatChunk({}), choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { ...chatChunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
    '[DONE]',
  ]
}

function chatChunk(delta: object): object {
  return { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices: [{ index: 0, delta }] }
}

/** The events of a whole Responses reply. */
export function responsesReply(text: string | undefined, calls: readonly WireCall[]): unknown[] {
  const said = text === undefined ? [] : responsesText(text)
  return [
    { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm-1' } },
    ...said,
    ...calls.flatMap((call, index) => responsesCall(call, index + 1)),
    { type: 'response.completed', response: { usage: { input_tokens: 7, output_tokens: 3 } } },
  ]
}

/** The events of a text in a Responses reply. */
export function responsesText(text: string): unknown[] {
  const at = { output_index: 0, item: { type: 'message', id: 'msg_1' } }
  return [
    { type: 'response.output_item.added', ...at },
    { type: 'response.output_text.delta', item_id: 'msg_1', delta: text },
    { type: 'response.output_item.done', ...at },
  ]
}

function responsesCall({ id, input, name }: WireCall, index: number): unknown[] {
  const item = { type: 'function_call', id: `fc_${index}`, call_id: id, name, arguments: input, status: 'completed' }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
    { type: 'response.function_call_arguments.delta', item_id: item.id, output_index: index, delta: input },
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

/** A block of a Messages reply. */
export type Block =
  | { readonly type: 'text'; readonly text: string; readonly cites?: { readonly url: string; readonly title: string } }
  | { readonly type: 'thinking'; readonly text: string; readonly signature: string }
  | ({ readonly type: 'call' | 'server-call' } & WireCall)
  | { readonly type: 'search-result'; readonly id: string; readonly url: string; readonly title: string }
  | { readonly type: 'code-result'; readonly id: string; readonly stdout: string }

/** The events of a whole Messages reply. */
export function messagesReply(stopReason: string, ...blocks: readonly Block[]): unknown[] {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm-1', content: [], stop_reason: null }
  return [
    {
      type: 'message_start',
      message: { ...message, stop_sequence: null, usage: { input_tokens: 7, output_tokens: 1 } },
    },
    ...blocks.flatMap(messagesBlock),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 3 },
    },
    { type: 'message_stop' },
  ]
}

/** The events of one block; the last of them closes it. */
export function messagesBlock(block: Block, index: number): unknown[] {
  const delta = (value: object): object => ({ type: 'content_block_delta', index, delta: value })
  const around = (start: object, ...deltas: readonly object[]): unknown[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(delta),
    { type: 'content_block_stop', index },
  ]
  switch (block.type) {
    case 'text':
      return around({ type: 'text', text: '' }, { type: 'text_delta', text: block.text }, ...citation(block.cites))
    case 'thinking':
      return around(
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: block.text },
        { type: 'signature_delta', signature: block.signature },
      )
    case 'search-result': {
      const { id, title, url } = block
      const found = { type: 'web_search_result', title, url, encrypted_content: 'e', page_age: null }
      return around({ type: 'web_search_tool_result', tool_use_id: id, content: [found] })
    }
    case 'code-result': {
      const content = { type: 'code_execution_result', stdout: block.stdout, stderr: '', return_code: 0, content: [] }
      return around({ type: 'code_execution_tool_result', tool_use_id: block.id, content })
    }
    case 'call':
    case 'server-call': {
      const half = Math.ceil(block.input.length / 2)
      return around(
        { type: block.type === 'call' ? 'tool_use' : 'server_tool_use', id: block.id, name: block.name, input: {} },
        { type: 'input_json_delta', partial_json: block.input.slice(0, half) },
        { type: 'input_json_delta', partial_json: block.input.slice(half) },
      )
    }
  }
}

function citation(cited: { url: string; title: string } | undefined): object[] {
  if (cited === undefined) return []
  const place = { type: 'web_search_result_location', ...cited, cited_text: 'x', encrypted_index: 'i' }
  return [{ type: 'citations_delta', citation: place }]
}
