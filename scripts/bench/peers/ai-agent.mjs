import { isStepCount, ToolLoopAgent } from 'ai'
import { aiParts, readAll } from '../lib/ai-parts.mjs'

/** `ToolLoopAgent` of the AI SDK. */
export default {
  name: 'ai-agent',
  prepare(options) {
    const { messages, maxSteps, ...parts } = aiParts(options)
    const agent = new ToolLoopAgent({ ...parts, stopWhen: isStepCount(maxSteps) })
    return async () => {
      const result = await agent.stream({ messages: messages() })
      await readAll(result, options.probe)
      return result
    }
  },
}
