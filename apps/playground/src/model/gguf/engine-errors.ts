import { isTurnloopError, ModelError } from '@turnloop/core'

const OUT_OF_MEMORY = /memory|alloc|out of bounds|oom\b/i
const NOT_FETCHED = /fetch|network|import|load script/i
const CONTEXT_FULL = /context (size|length)|exceed/i

/** Why a file could not be made an engine, in words. `log` is what the engine last complained about. */
export function loadError(error: unknown, file: File, log: string): ModelError {
  if (isTurnloopError(error) && error instanceof ModelError) return error
  const said = `${describe(error)} ${log}`
  if (OUT_OF_MEMORY.test(said))
    return failed(
      `There is not enough memory for “${file.name}” in this page. A smaller model, or less room for the conversation, may fit.`,
      error,
    )
  if (NOT_FETCHED.test(describe(error)))
    return failed(
      'The engine for models from a file could not be fetched. It is needed once; after that it works offline.',
      error,
    )
  const why = log === '' ? '' : ` It says: ${log}`
  return failed(
    `The engine cannot load “${file.name}”: the file may be damaged, or of a kind that it does not know.${why}`,
    error,
  )
}

/** Why a question has no answer, in words. An engine that has died is told with `facts.died`. */
export function askError(error: unknown, log: string): ModelError {
  const said = `${describe(error)} ${log}`
  if (typeOf(error) === 'model_not_loaded') return failed('The model was unloaded while it was asked.', error)
  if (typeOf(error) !== 'inference_error') {
    const what = OUT_OF_MEMORY.test(said)
      ? 'The model ran out of memory and was stopped.'
      : 'The engine of the model broke down.'
    return new ModelError('model-failed', `${what} It is started anew when you try again.`, {
      cause: error,
      facts: { died: true },
    })
  }
  if (CONTEXT_FULL.test(said))
    return new ModelError(
      'context-too-long',
      'The conversation is longer than the room that the model was given. Give it more in the model settings.',
      { cause: error },
    )
  return new ModelError('model-refused-request', 'The engine refused the request.', { cause: error })
}

/** The engine's own word for an error. Its classes are not at hand here: they are loaded with it. */
function typeOf(error: unknown): unknown {
  return error instanceof Error && 'type' in error ? error.type : undefined
}

function failed(message: string, cause: unknown): ModelError {
  return new ModelError('model-failed', message, { cause })
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
