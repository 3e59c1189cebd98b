import { aiSdkModel } from '@turnloop/ai-sdk'
import { providerModel } from '../lib/provider-model.mjs'
import { turnloopAgent, turnOf } from '../lib/turnloop-parts.mjs'

/** Turnloop with the model object that `bare` and the AI SDK get. */
export default {
  name: 'turnloop-ai-sdk',
  prepare: (options) =>
    turnOf(turnloopAgent(aiSdkModel(providerModel(options.steps, options.probe)), options), options),
}
