import type { Model } from '@turnloop/core'
import type { DataLibrary } from '../data/tables.ts'
import { createModel } from '../model/providers.ts'
import { fileModel } from './file-model.ts'
import { isRemote, type ModelChoice, modelChoice, toModelSettings } from './model-choice.ts'

/**
 * The model that is chosen in the settings, whichever that is when a request is made.
 *
 * It is made at its first request, and its provider's code is loaded then: a page that only uses the practice model
 * downloads no other. Settings that cannot work are told as the error of the turn, in the conversation.
 */
export function chosenModel(library: DataLibrary): Model {
  let made: Made | undefined
  const current = (): Promise<Model> => {
    const choice = modelChoice.get()
    if (made?.choice === choice) return made.model
    const making: Made = { choice, model: make(choice, library) }
    making.model.then((model) => {
      making.ready = model
    }, toldByTheTurn)
    made = making
    return making.model
  }
  return {
    get provider() {
      return modelChoice.get().kind
    },
    get modelId() {
      const choice = modelChoice.get()
      return isRemote(choice.kind) ? choice.remote[choice.kind].modelId : choice.kind
    },
    /** As far as the chosen model has told it: a long conversation is then compacted before it no longer fits. */
    get contextWindow() {
      return made?.choice === modelChoice.get() ? made.ready?.contextWindow : undefined
    },
    async *stream(request, options) {
      yield* (await current()).stream(request, options)
    },
  }
}

interface Made {
  readonly choice: ModelChoice
  readonly model: Promise<Model>
  ready?: Model
}

// Async, so that settings which are refused at once reject instead of throwing.
async function make(choice: ModelChoice, library: DataLibrary): Promise<Model> {
  return createModel(toModelSettings(choice), { tables: () => library.getSnapshot().tables, file: fileModel })
}

function toldByTheTurn(): void {}
