import { ModelError, TurnloopError } from '@turnloop/core'
import { observable } from '../app/observable.ts'
import { forgetFile, type RememberedFile, rememberedFile, rememberFile, reopenFile } from '../data/remembered-file.ts'
import { createGgufHost, type GgufHost } from '../model/gguf/gguf-host.ts'
import { modelChoice } from './model-choice.ts'
import type { PickedFile } from './pick-file.ts'

/** The model from a file of this page. Its engine is fetched with the first file. */
export const fileModel: GgufHost = createGgufHost({
  start: async (file, options) => {
    const { startWllama } = await import('../model/gguf/start-wllama.ts').catch(unreachable)
    return startWllama(file, options)
  },
  contextTokens: () => modelChoice.get().fileContextTokens,
  recall: async () => {
    const known = await rememberedFile()
    if (known === undefined) return undefined
    const file = await reopenFile(known).catch(gone(known))
    if (file !== undefined) return file
    throw new TurnloopError(
      'bad-option',
      `“${known.name}” has to be opened again in the model settings: ${askWords(known)}.`,
    )
  },
})

/** What was opened in an earlier visit; looked for by `findEarlierFile`. */
export const earlierFile = observable<RememberedFile | undefined>(undefined)

/** Look for a file of an earlier visit. */
export async function findEarlierFile(): Promise<void> {
  earlierFile.set(await rememberedFile())
}

/** Open a file that was chosen, and keep which it was. */
export async function openFileModel({ file, handle }: PickedFile): Promise<void> {
  const known = { name: file.name, ...(handle && { handle }) }
  earlierFile.set(known)
  await Promise.all([fileModel.open(file), rememberFile(known)])
}

/** Open the file of an earlier visit again, from a click. Rejects in words where it is gone. */
export async function reopenEarlierFile(known: RememberedFile): Promise<void> {
  const file = await reopenFile(known, 'mayAsk').catch(gone(known))
  if (file !== undefined) await fileModel.open(file)
}

/** End the engine and forget the file. */
export async function unloadFileModel(): Promise<void> {
  fileModel.close()
  earlierFile.set(undefined)
  await forgetFile()
}

/** Why the browser does not simply read the file again. */
export function askWords({ handle }: RememberedFile): string {
  return handle === undefined ? 'this browser keeps no hold on files' : 'the browser asks before it reads a file again'
}

function gone({ name }: RememberedFile): (cause: unknown) => never {
  return (cause) => {
    throw new TurnloopError('bad-option', `“${name}” is no longer where it was. Choose a file in the model settings.`, {
      cause,
    })
  }
}

function unreachable(cause: unknown): never {
  const message =
    'The engine for models from a file could not be fetched. Are you offline? The practice model works without.'
  throw new ModelError('model-unreachable', message, { cause })
}
