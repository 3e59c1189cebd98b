import type { ToolResult } from '@turnloop/core'
import { SOURCE_KEY } from '@turnloop/mcp'
import { useObservable } from '../app/observable.ts'
import { toolSettings } from '../settings/tool-settings.ts'
import { isObject } from './tool-words.ts'

/** A tool as people know it: its own name, and the server that has it. */
export interface ToolOrigin {
  readonly name: string
  readonly server?: string
}

/** Where a tool comes from: from the settings, and, of a server that was taken out since, from what it answered. */
export function useToolOrigin(toolName: string, result?: ToolResult): ToolOrigin {
  const { servers } = useObservable(toolSettings)
  const server = servers.find(({ name }) => toolName.startsWith(`${name}_`))?.name
  const source = result?.result._meta?.[SOURCE_KEY]
  const marked = isObject(source) ? source : {}
  const own = typeof marked.tool === 'string' ? marked.tool : undefined
  if (server !== undefined) return { name: own ?? toolName.slice(server.length + 1), server }
  if (own === undefined) return { name: toolName }
  return { name: own, ...(typeof marked.server === 'string' && { server: marked.server }) }
}
