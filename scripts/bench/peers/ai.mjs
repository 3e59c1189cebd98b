import { isStepCount, streamText } from 'ai'
import { aiParts, readAll } from '../lib/ai-parts.mjs'

/** `streamText` of the AI SDK. */
export default {
  name: 'ai',
  prepare(options) {
    const { messages, maxSteps, ...parts } = aiParts(options)
    return async () => {
      const result = streamText({ ...parts, messages: messages(), stopWhen: isStepCount(maxSteps) })
      await readAll(result, options.probe)
      return result
    }
  },
}
