import { chunk } from './script.mjs'

// A mock model of the AI SDK's provider interface, version 4: one object for every peer that takes one.

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
}

/** @param {'tool-calls' | 'stop'} unified */
const finish = (unified) => ({ type: 'finish', usage, finishReason: { unified, raw: unified } })

/** The parts of one answer, each made when it is pulled. @param {import('./script.mjs').ScriptStep} step */
function* partsOf(step) {
  yield { type: 'stream-start', warnings: [] }
  if (step.type === 'calls') {
    for (const { id, name, json } of step.calls) {
      yield { type: 'tool-input-start', id, toolName: name }
      yield { type: 'tool-input-delta', id, delta: json }
      yield { type: 'tool-input-end', id }
      yield { type: 'tool-call', toolCallId: id, toolName: name, input: json }
    }
    yield finish('tool-calls')
    return
  }
  yield { type: 'text-start', id: 't0' }
  for (let index = 0; index < step.deltas; index++) yield { type: 'text-delta', id: 't0', delta: chunk(index) }
  yield { type: 'text-end', id: 't0' }
  yield finish('stop')
}

/** @param {import('./script.mjs').ScriptStep} step */
function streamOf(step) {
  const parts = partsOf(step)
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/**
 * A model that says the steps, one for each time it is asked.
 *
 * @param {readonly import('./script.mjs').ScriptStep[]} steps
 * @param {import('./probe.mjs').Probe} probe
 * @returns {any} Of the provider interface's own type, which comes from a package that is not a dependency here.
 */
export function providerModel(steps, probe) {
  let asked = 0
  return {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: 'mock',
    supportedUrls: {},
    async doStream(/** @type {{ prompt: readonly unknown[] }} */ { prompt }) {
      probe.modelCall(prompt.length)
      return { stream: streamOf(/** @type {import('./script.mjs').ScriptStep} */ (steps[asked++])) }
    },
  }
}
