import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ContentBlock, ToolResult } from '@turnloop/core'

type ContentItem = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

/**
 * A tool's answer in the tagged form of a v4 prompt.
 *
 * Text goes as text, structured content as JSON where the text is only its copy or there is none, and anything with
 * files in it as content. An answer whose status is not `ok` is marked as an error, unless files keep it from being so.
 */
export function toToolOutput(answer: ToolResult, takesFiles: boolean): LanguageModelV4ToolResultOutput {
  const { result, status } = answer
  const items = result.content.map((block) => toItem(block, takesFiles))
  if (items.some((item) => item.type === 'file')) return { type: 'content', value: items }
  const isError = status !== 'ok' || result.isError === true
  const text = items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n')
  const structured = result.structuredContent
  if (structured !== undefined && (text === '' || text === JSON.stringify(structured))) {
    return { type: isError ? 'error-json' : 'json', value: structured }
  }
  return { type: isError ? 'error-text' : 'text', value: text }
}

function toItem(block: ContentBlock, takesFiles: boolean): ContentItem {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return toFileItem(block.data, block.mimeType, takesFiles)
    case 'resource': {
      const { blob, mimeType, text, uri } = block.resource
      if (text !== undefined || blob === undefined) return { type: 'text', text: text ?? uri }
      return toFileItem(blob, mimeType ?? 'application/octet-stream', takesFiles)
    }
    case 'resource_link':
      return { type: 'text', text: [block.name, block.description, block.uri].filter(Boolean).join('\n') }
  }
}

function toFileItem(base64: string, mediaType: string, takesFiles: boolean): ContentItem {
  if (takesFiles) return { type: 'file', data: { type: 'data', data: base64 }, mediaType }
  return { type: 'text', text: `[A file of type ${mediaType}. It cannot be shown to this model.]` }
}
