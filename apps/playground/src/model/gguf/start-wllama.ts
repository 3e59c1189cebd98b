import type { ChatCompletionChunk, ChatCompletionParams, LoadModelParams, Wllama } from '@wllama/wllama'
import wasmAddress from '@wllama/wllama/esm/wasm/wllama.wasm?url'
import { checkGguf } from './check-gguf.ts'
import { type Complaints, createComplaints } from './complaints.ts'
import { askError, loadError } from './engine-errors.ts'
import type { EngineOptions, EnginePiece, EngineQuestion, GgufEngine } from './gguf-engine.ts'
import { measuredFile } from './measured-file.ts'

/** A model that finds no end is ended. */
const MOST_TOKENS = 2048

/**
 * Start a model from a GGUF file in a worker of this page, by wllama: llama.cpp in WebAssembly, fetched with its first use.
 *
 * The file is read in pieces and is not copied elsewhere. Where the browser has WebGPU the graphics card computes, unless that
 * fails. Rejects with `ModelError`, in words.
 */
export async function startWllama(file: File, options: EngineOptions): Promise<GgufEngine> {
  await checkGguf(file)
  const complaints = createComplaints()
  try {
    return await start(file, options, { complaints, card: 'gpu' in navigator })
  } catch (error) {
    throw loadError(error, file, complaints.first())
  }
}

interface Attempt {
  readonly complaints: Complaints
  readonly card: boolean
}

async function start(file: File, options: EngineOptions, { complaints, card }: Attempt): Promise<GgufEngine> {
  const { Wllama } = await import('@wllama/wllama')
  complaints.clear()
  const wllama = new Wllama({ default: new URL(wasmAddress, location.href).href }, { logger: complaints.logger })
  try {
    await wllama.loadModel([measuredFile(file, options.onShare ?? (() => {}))], loadOptions(options, card))
    return toEngine(wllama, file, complaints)
  } catch (error) {
    await wllama.exit()
    if (card) return start(file, options, { complaints, card: false })
    throw error
  }
}

function loadOptions({ contextTokens }: EngineOptions, card: boolean): LoadModelParams {
  return {
    n_ctx: contextTokens,
    // Threads need a page that is isolated from others, and workers by `blob:` addresses.
    n_threads: 1,
    n_parallel: 1,
    // Between two of these a Stop is heard.
    n_batch: 512,
    jinja: true,
    ...(!card && { n_gpu_layers: 0 }),
  }
}

function toEngine(wllama: Wllama, file: File, complaints: Complaints): GgufEngine {
  const { metadata, n_ctx: contextTokens } = wllama.getLoadedContextInfo()
  // It resolves all the same when nothing was loaded.
  if (contextTokens === 0) throw new Error('Nothing was loaded.')
  return {
    title: metadata['general.name']?.trim() || file.name.replace(/\.gguf$/i, ''),
    contextTokens,
    async ask(question, { signal, onPiece }) {
      complaints.clear()
      try {
        await wllama.createChatCompletion({
          ...toParams(question),
          abortSignal: signal,
          stream: true,
          onData: (chunk) => toPieces(chunk).forEach(onPiece),
        })
      } catch (error) {
        if (signal.aborted && error instanceof Error && error.name === 'AbortError') return
        throw askError(error, complaints.first())
      }
    },
    close: () => {
      // It ends the worker at once; there is nothing to wait for.
      wllama.exit().catch(() => {})
    },
  }
}

function toParams({ system, turns, schema, settings = {} }: EngineQuestion): ChatCompletionParams {
  const { maxOutputTokens = MOST_TOKENS, temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = settings
  return {
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...turns],
    max_tokens: maxOutputTokens,
    return_progress: true,
    // Thoughts do not fit a schema, and cost minutes here.
    chat_template_kwargs: { enable_thinking: false },
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } } }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { penalty_present: presencePenalty }),
    ...(frequencyPenalty !== undefined && { penalty_freq: frequencyPenalty }),
  }
}

function toPieces({ choices, timings, prompt_progress }: ChatCompletionChunk): EnginePiece[] {
  const [choice] = choices
  // The engine's types do not know the member for thoughts.
  const delta: { content?: string | null; reasoning_content?: string } = choice?.delta ?? {}
  const pieces: EnginePiece[] = prompt_progress === undefined ? [] : [{ type: 'reading' }]
  if (delta.reasoning_content) pieces.push({ type: 'reasoning', text: delta.reasoning_content })
  if (delta.content) pieces.push({ type: 'text', text: delta.content })
  if (choice?.finish_reason)
    pieces.push({ type: 'end', reason: choice.finish_reason, ...(timings && { usage: usageOf(timings) }) })
  return pieces
}

function usageOf({ cache_n, prompt_n, predicted_n }: NonNullable<ChatCompletionChunk['timings']>) {
  const inputTokens = cache_n + prompt_n
  return { inputTokens, outputTokens: predicted_n, totalTokens: inputTokens + predicted_n, cachedInputTokens: cache_n }
}
