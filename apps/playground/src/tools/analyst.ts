import { agentTool, createAgent, type Model, type Tool, type ToolSource } from '@turnloop/core'

/** What the analyst may use: it looks, and changes nothing. */
const ANALYST_TOOLS: ReadonlySet<string> = new Set(['describe_table', 'query_table', 'calculate'])

/** What another agent is made of. */
export interface AnalystParts {
  readonly model: Model
  readonly tables: ToolSource
  instructions(): Promise<string>
}

/** The tool that hands a question to a second agent, which has the same model, a transcript of its own, and fewer tools. */
export function askAnalyst({ model, tables, instructions }: AnalystParts): Tool {
  const analyst = createAgent({
    name: 'analyst',
    model,
    tools: [only(tables, ANALYST_TOOLS)],
    maxIterations: 10,
    onMaxIterations: 'answer',
    instructions,
  })
  return agentTool(analyst, {
    name: 'ask_analyst',
    title: 'Ask the analyst',
    description:
      'Hand one question about the tables to a second agent that works through it by itself and gives back its answer. It sees nothing of this conversation: put everything it needs into the task.',
  })
}

/** Some tools of a source. */
function only(source: ToolSource, names: ReadonlySet<string>): ToolSource {
  return {
    list: async (options) => (await source.list(options)).filter(({ name }) => names.has(name)),
    subscribe: (onChange) => source.subscribe?.(onChange) ?? (() => {}),
  }
}
