export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { Entry, EntryDraft, StoredMessage } from './entries.ts'
export { isEntry } from './entries.ts'
export type { ErrorRecord, TurnloopErrorCode } from './errors.ts'
export { isTurnloopError, ModelError, StorageError, ToolError, TurnloopError } from './errors.ts'
export type { LiveEvent, TurnEvent } from './events.ts'
export type { JsonObject, JsonValue } from './json.ts'
export type {
  AssistantMessage,
  AssistantPart,
  CallToolResult,
  ContentBlock,
  FileData,
  FilePart,
  Message,
  ProviderMetadata,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  ToolStatus,
  UserMessage,
  UserPart,
} from './messages.ts'
export { clientCalls, messageText, resultText } from './messages.ts'
export type { Model, ModelEvent, ModelRequest, ModelSettings, ModelTool, ToolChoice } from './model.ts'
export type { Outcome, PendingRequest, RollbackRecord } from './outcome.ts'
export type { AnySchema, Checked, Schema, SchemaOutput } from './schema.ts'
export { createSelection, shallowEqual } from './selection.ts'
export type { SendOptions, Session, SessionInput } from './session.ts'
export type {
  AppendOptions,
  Claim,
  OpenReply,
  QueuedInput,
  ReadOptions,
  SessionHead,
  SessionStore,
} from './session-store.ts'
export type { Activity, CallView, SessionStatus, Snapshot, StorageStatus, TurnView } from './snapshot.ts'
export type { StopReason } from './stop-reason.ts'
export type { Tool, ToolContext, ToolEffect, ToolOptions, ToolSource } from './tool.ts'
export { tool } from './tool.ts'
export type { TurnResult } from './tool-runner.ts'
export type { Usage } from './usage.ts'
export { addUsage } from './usage.ts'
