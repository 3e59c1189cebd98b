/**
 * `useChat` and UI messages of the AI SDK on an agent.
 * @module
 */
export { AgentTransport, type AgentTransportOptions } from './agent-transport.ts'
export { fromUIMessages } from './from-ui-messages.ts'
export { toUIMessages } from './to-ui-messages.ts'
export type { MessageRecord, TurnloopMetadata, TurnloopUIMessage } from './ui-metadata.ts'
