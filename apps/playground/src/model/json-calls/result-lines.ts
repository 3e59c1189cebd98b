import type { ToolResult } from '@turnloop/core'

/** What came of a call, as text for the model. */
export function resultLines({ toolName, result, status }: ToolResult): string {
  const text = result.content
    .map((block) => {
      if (block.type === 'text') return block.text
      if (block.type === 'resource') return block.resource.text ?? block.resource.uri
      if (block.type === 'resource_link') return block.uri
      return `[A file of type ${block.mimeType}, which you cannot see.]`
    })
    .join('\n')
  const said = text === '' && result.structuredContent !== undefined ? JSON.stringify(result.structuredContent) : text
  const isError = status !== 'ok' || result.isError === true
  return `${isError ? 'Error from' : 'Result of'} ${toolName}:\n${said}`
}
