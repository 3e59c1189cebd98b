import { type Agent, autoCompaction, createAgent, type Model, type ToolSource } from '@turnloop/core'
import type { DataLibrary } from './data/tables.ts'
import { askAnalyst } from './tools/analyst.ts'
import { dataTools, playgroundTools } from './tools/data-tools.ts'
import { schemaText } from './tools/table-database.ts'

/** A chart keeps up to 2,000 marks, and an answer up to 1,000 rows. */
const MAX_RESULT_BYTES = 2_000_000

/** What the playground's agent is made of. */
export interface PlaygroundAgentParts {
  readonly model: Model
  readonly library: DataLibrary
  /** The tools of the MCP servers that were added in the settings. */
  readonly servers: ToolSource
}

/**
 * The playground's agent: answers questions about the tables of this browser.
 *
 * It lists the tables before every model call, so a file that is dropped in the middle of a turn is known to it.
 */
export function createPlaygroundAgent({ model, library, servers }: PlaygroundAgentParts): Agent {
  const describeTables = async (): Promise<string> => {
    await library.ready
    return instructions(schemaText(library.getSnapshot().tables))
  }
  const analyst = askAnalyst({ model, tables: dataTools(library), instructions: describeTables })
  return createAgent({
    name: 'Ask your data',
    model,
    tools: [...playgroundTools(library), analyst, servers],
    maxIterations: 30,
    onMaxIterations: 'answer',
    maxResultBytes: MAX_RESULT_BYTES,
    compaction: autoCompaction(),
    // Nobody watches a page wait for half a minute: a longer wish of the server's is told, with the button to try again.
    retry: { maxDelayMs: 10_000 },
    instructions: describeTables,
  })
}

function instructions(tables: string): string {
  return `You answer questions about the user's tables. Take every figure from a tool; never guess one.
Answer in one or two sentences of Markdown, with a small table where several figures belong together, and name units.
Draw a chart when asked, or when a trend or comparison is clearer that way. The user sees charts; do not describe their rows.
When a tool reports an error, mend the call and try again; if it cannot be mended, say what is wrong.
${tables}`
}
