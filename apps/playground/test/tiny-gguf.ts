/**
 * A language model that is small enough to be made by a test: the llama architecture with random weights, which knows nothing
 * and says nothing. What it writes has no sense, and yet it goes through the real engine, grammar and all.
 */

const DIMENSION = 64
const FEED_FORWARD = 128
const LAYERS = 2
const HEADS = 4
const CONTEXT = 32_768

const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|pad|>']
const VOCABULARY = 256 + SPECIAL.length
const END_OF_TEXT = 256
const END_OF_TURN = 258

const TEMPLATE = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

/** Types of values and of tokens in a GGUF file. Source: the GGUF specification, version 3. */
const UINT32 = 4
const INT32 = 5
const FLOAT32 = 6
const STRING = 8
const ARRAY = 9
const NORMAL = 1
const CONTROL = 3
const ALIGNMENT = 32

/** Write the model, about 470 kB. The same seed gives the same bytes. */
export function tinyGguf({
  seed = 1,
  name = 'Tiny, random',
}: {
  seed?: number
  name?: string
} = {}): Uint8Array<ArrayBuffer> {
  const file = createWriter()
  const values = metadata(name)
  const tensors = shapes()
  file.text('GGUF')
  file.uint32(3)
  file.uint64(tensors.length)
  file.uint64(values.length)
  for (const [key, type, value] of values) writeValue(file, { key, type, value })
  let offset = 0
  for (const { tensor, shape } of tensors) {
    file.string(tensor)
    file.uint32(shape.length)
    for (const size of shape) file.uint64(size)
    // 32-bit floats.
    file.uint32(0)
    file.uint64(offset)
    offset += Math.ceil((sizeOf(shape) * 4) / ALIGNMENT) * ALIGNMENT
  }
  const random = mulberry32(seed)
  for (const { tensor, shape } of tensors) {
    file.align(ALIGNMENT)
    const isNorm = tensor.includes('norm')
    for (let index = sizeOf(shape); index > 0; index -= 1) file.float32(isNorm ? 1 : (random() - 0.5) / 2)
  }
  file.align(ALIGNMENT)
  return file.bytes()
}

type Value = readonly [key: string, type: number, value: number | string | readonly (number | string)[]]

function metadata(name: string): readonly Value[] {
  return [
    ['general.architecture', STRING, 'llama'],
    ['general.name', STRING, name],
    ['general.file_type', UINT32, 0],
    ['llama.context_length', UINT32, CONTEXT],
    ['llama.embedding_length', UINT32, DIMENSION],
    ['llama.block_count', UINT32, LAYERS],
    ['llama.feed_forward_length', UINT32, FEED_FORWARD],
    ['llama.attention.head_count', UINT32, HEADS],
    ['llama.attention.head_count_kv', UINT32, HEADS],
    ['llama.attention.layer_norm_rms_epsilon', FLOAT32, 1e-5],
    ['llama.rope.dimension_count', UINT32, DIMENSION / HEADS],
    ['llama.vocab_size', UINT32, VOCABULARY],
    ['tokenizer.ggml.model', STRING, 'gpt2'],
    ['tokenizer.ggml.pre', STRING, 'default'],
    ['tokenizer.ggml.tokens', STRING, [...byteTokens(), ...SPECIAL]],
    // A byte from 0x80 on is half a character, and the engine dies of half characters: as control tokens they are not written.
    ['tokenizer.ggml.token_type', INT32, Array.from({ length: VOCABULARY }, (_, id) => (id < 0x80 ? NORMAL : CONTROL))],
    ['tokenizer.ggml.merges', STRING, []],
    ['tokenizer.ggml.bos_token_id', UINT32, END_OF_TEXT],
    ['tokenizer.ggml.eos_token_id', UINT32, END_OF_TURN],
    ['tokenizer.ggml.padding_token_id', UINT32, VOCABULARY - 1],
    ['tokenizer.chat_template', STRING, TEMPLATE],
  ]
}

/** One token per byte, in the letters that GPT-2 writes them in: those that cannot be seen are moved behind U+0100. */
function byteTokens(): string[] {
  let moved = 0
  return Array.from({ length: 256 }, (_, byte) => {
    const isSeen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    if (isSeen) return String.fromCodePoint(byte)
    moved += 1
    return String.fromCodePoint(255 + moved)
  })
}

function shapes(): readonly { tensor: string; shape: readonly number[] }[] {
  const square = [DIMENSION, DIMENSION]
  const layers = Array.from({ length: LAYERS }, (_, layer) => [
    { tensor: `blk.${layer}.attn_norm.weight`, shape: [DIMENSION] },
    { tensor: `blk.${layer}.attn_q.weight`, shape: square },
    { tensor: `blk.${layer}.attn_k.weight`, shape: square },
    { tensor: `blk.${layer}.attn_v.weight`, shape: square },
    { tensor: `blk.${layer}.attn_output.weight`, shape: square },
    { tensor: `blk.${layer}.ffn_norm.weight`, shape: [DIMENSION] },
    { tensor: `blk.${layer}.ffn_gate.weight`, shape: [DIMENSION, FEED_FORWARD] },
    { tensor: `blk.${layer}.ffn_up.weight`, shape: [DIMENSION, FEED_FORWARD] },
    { tensor: `blk.${layer}.ffn_down.weight`, shape: [FEED_FORWARD, DIMENSION] },
  ])
  return [
    { tensor: 'token_embd.weight', shape: [DIMENSION, VOCABULARY] },
    ...layers.flat(),
    { tensor: 'output_norm.weight', shape: [DIMENSION] },
    { tensor: 'output.weight', shape: [DIMENSION, VOCABULARY] },
  ]
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}

function writeValue(file: Writer, { key, type, value }: { key: string; type: number; value: Value[2] }): void {
  file.string(key)
  if (typeof value !== 'object') {
    file.uint32(type)
    writeScalar(file, type, value)
    return
  }
  file.uint32(ARRAY)
  file.uint32(type)
  file.uint64(value.length)
  for (const item of value) writeScalar(file, type, item)
}

function writeScalar(file: Writer, type: number, value: number | string): void {
  if (typeof value === 'string') file.string(value)
  else if (type === FLOAT32) file.float32(value)
  else file.uint32(value)
}

type Writer = ReturnType<typeof createWriter>

/** Little-endian, as a GGUF file is. */
function createWriter() {
  const view = new DataView(new ArrayBuffer(1_000_000))
  let at = 0
  const raw = (bytes: Uint8Array): void => {
    new Uint8Array(view.buffer).set(bytes, at)
    at += bytes.length
  }
  const uint32 = (value: number): void => {
    view.setUint32(at, value, true)
    at += 4
  }
  const uint64 = (value: number): void => {
    view.setBigUint64(at, BigInt(value), true)
    at += 8
  }
  return {
    uint32,
    uint64,
    float32: (value: number): void => {
      view.setFloat32(at, value, true)
      at += 4
    },
    text: (text: string): void => raw(new TextEncoder().encode(text)),
    string: (text: string): void => {
      const bytes = new TextEncoder().encode(text)
      uint64(bytes.length)
      raw(bytes)
    },
    align: (size: number): void => {
      at = Math.ceil(at / size) * size
    },
    bytes: () => new Uint8Array(view.buffer.slice(0, at)),
  }
}

/** A small generator of random numbers between 0 and 1 that can be repeated. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
