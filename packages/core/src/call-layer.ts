import { runMiddleware, textsOf, withTexts } from './call-middleware.ts'
import { guardTexts } from './guard-texts.ts'
import type { GuardrailPhase } from './guardrail.ts'
import type { HookRunner } from './hook-runner.ts'
import type { MergedHooks } from './hooks-options.ts'
import type { JsonObject } from './json.ts'
import { CALL_ENGINE } from './layered-call.ts'
import type { CallToolResult } from './messages.ts'
import { textResult } from './result-text.ts'
import { placeToolHooks } from './tool-hook.ts'
import type { ReadyCall } from './tool-plan.ts'
import { blockedOutcome } from './turn-control.ts'
import type { CallChange, CallLayer, CallScope } from './turn-hooks.ts'

/** The agent's own layer around tool calls: its tool hooks and tool guardrails. */
export function callLayer(runner: HookRunner, { toolHooks = [], toolGuardrails = [] }: MergedHooks): CallLayer {
  const hooks = placeToolHooks(toolHooks, 'toolHooks')
  const isGuarded = (phase: GuardrailPhase): boolean =>
    toolGuardrails.some(({ phases }) => phases === undefined || phases.includes(phase))
  const guards = new CallGuards(runner, toolGuardrails)
  return {
    engine: CALL_ENGINE,
    ...(hooks.length > 0 && {
      around: (ready, next, scope) => runMiddleware(hooks, { ready, next, scope, slot: 'toolHooks' }),
    }),
    ...(isGuarded('tool-input') && { guard: (ready, scope) => guards.input(ready, scope) }),
    ...(isGuarded('tool-result') && { check: (ready, result, scope) => guards.result(ready, result, scope) }),
  }
}

class CallGuards {
  readonly #runner: HookRunner
  readonly #guardrails: NonNullable<MergedHooks['toolGuardrails']>

  constructor(runner: HookRunner, guardrails: NonNullable<MergedHooks['toolGuardrails']>) {
    this.#runner = runner
    this.#guardrails = guardrails
  }

  async input(ready: ReadyCall, scope: CallScope): Promise<CallChange | undefined> {
    const before = textsOf(ready.input)
    const texts = await this.#check(before, { ready, scope, phase: 'tool-input' })
    if (texts === undefined) return { status: 'denied', result: textResult(REFUSED_CALL, true) }
    return texts === before ? undefined : { input: withTexts(ready.input, texts) }
  }

  async result(ready: ReadyCall, result: CallToolResult, scope: CallScope): Promise<CallToolResult> {
    const shown = shownOf(result)
    const before = textsOf(shown)
    const texts = await this.#check(before, { ready, scope, phase: 'tool-result' })
    if (texts === undefined) return textResult(REFUSED_RESULT, true)
    if (texts === before) return result
    const { texts: blocks, structured } = withTexts(shown, texts)
    let at = 0
    const content = result.content.map((block) => {
      const text = blocks[at]
      if (text === undefined || textOf(block) === undefined) return block
      at += 1
      if (block.type === 'text') return { ...block, text }
      return block.type === 'resource' ? { ...block, resource: { ...block.resource, text } } : block
    })
    return { ...result, content, ...(result.structuredContent && { structuredContent: structured }) }
  }

  /** The texts as they may go on, the very list where nothing is changed; `undefined`: they may not. */
  async #check(
    texts: readonly string[],
    { ready, scope, phase }: { ready: ReadyCall; scope: CallScope; phase: 'tool-input' | 'tool-result' },
  ): Promise<readonly string[] | undefined> {
    let current = texts
    for (const guardrail of this.#guardrails) {
      const { name, phases } = guardrail
      if (phases !== undefined && !phases.includes(phase)) continue
      const { within } = scope
      const place = { name, slot: 'toolGuardrails', callId: ready.call.callId, ...(within && { within }) }
      const end = await this.#runner.run(place, async (context) => {
        const given = { signal: context.signal, texts: current, phase, toolName: ready.tool.name }
        const { blocked, ...passed } = await guardTexts(this.#runner, [guardrail], given)
        if (blocked !== undefined) return { block: blocked.message, trigger: blocked.trigger, data: blocked.data }
        return 'texts' in passed && passed.texts !== current ? { replace: passed.texts } : undefined
      })
      if (end.word?.kind === 'block') {
        const word = { ...end.word, message: this.#runner.redact(end.word.message) }
        scope.end(blockedOutcome(word, { hook: name, slot: 'toolGuardrails', phase }))
        return undefined
      }
      if (end.word?.kind === 'replace' && Array.isArray(end.word.value)) current = end.word.value.map(String)
    }
    return current
  }
}

/** What of a result a model or a page reads as text. */
function shownOf({ content, structuredContent = {} }: CallToolResult): { texts: string[]; structured: JsonObject } {
  return { texts: content.flatMap((block) => textOf(block) ?? []), structured: structuredContent }
}

function textOf(block: CallToolResult['content'][number]): string | undefined {
  if (block.type === 'text') return block.text
  return block.type === 'resource' ? block.resource.text : undefined
}

const REFUSED_CALL = 'This call was not run: a check refused it.'
const REFUSED_RESULT = 'The result of this call was withheld: a check refused it.'
