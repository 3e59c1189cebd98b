import type { Message, ToolMessage } from './messages.ts'
export interface TranscriptSource {
  readonly placeholder?: Message | ToolMessage
}
