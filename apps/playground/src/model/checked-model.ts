import type { Model } from '@turnloop/core'
import { checkHistory, describeProblems } from '@turnloop/testing'

/**
 * The same model, with every request checked against what the providers accept.
 *
 * For development: a request that some provider would refuse is reported as an uncaught error, which the end-to-end
 * tests take for a failure, and is asked all the same.
 */
export function checkedModel(model: Model): Model {
  return {
    get provider() {
      return model.provider
    },
    get modelId() {
      return model.modelId
    },
    stream(request, options) {
      const { ok, problems } = checkHistory(request.messages, { request: true })
      if (!ok) reportError(new Error(`A provider would refuse this request:\n${describeProblems(problems)}`))
      return model.stream(request, options)
    },
  }
}
