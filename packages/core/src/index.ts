/**
 * The tool loop, sessions and the log: the agent loop for the browser page.
 * @module
 */
export type { Agent, PartsOptions } from './agent.ts'
export { createAgent } from './agent.ts'
export type { AgentOptions, TurnOverrides } from './agent-options.ts'
export type { AgentToolOptions } from './agent-tool.ts'
export { agentTool } from './agent-tool.ts'
export type { ModelTimeouts, RetryOptions } from './ask-model.ts'
export type { CompactingAgent, CompactionStrategy } from './auto-compaction.ts'
export { autoCompaction } from './auto-compaction.ts'
export type { BackgroundOptions } from './background-hooks.ts'
export type { BlobStore, CollectOptions } from './blob-store.ts'
export type { BlobRef } from './blob-values.ts'
export { blobOf } from './blob-values.ts'
export type { Checkpoint } from './checkpoint.ts'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { CompactionContext, CompactionOptions } from './compaction.ts'
export type { Again, NextStep, OutputFacts, ReplyCounts, ReplyFacts } from './decide.ts'
export { decide } from './decide.ts'
export { defineHooks, mergeHooks } from './define-hooks.ts'
export type { Entry, EntryDraft, StoredMessage } from './entries.ts'
export { isEntry } from './entries.ts'
export type { ErrorRecord, TurnloopErrorCode } from './errors.ts'
export { isTurnloopError, ModelError, StorageError, ToolError, TurnloopError, toErrorRecord } from './errors.ts'
export type { CompactionReport, HookEvent, LiveEvent, ShortenReport, TurnEvent } from './events.ts'
export type {
  CheckTrigger,
  Guardrail,
  GuardrailContext,
  GuardrailOptions,
  GuardrailPhase,
  GuardrailSubject,
  GuardrailVerdict,
} from './guardrail.ts'
export { CheckError, defineGuardrail, InputCheckError, OutputCheckError } from './guardrail.ts'
export type {
  Eval,
  EvalOptions,
  EvalScore,
  Hook,
  HookFunction,
  HookOptions,
  HookVerdict,
  PostHook,
  PostHookContext,
  PreHook,
  PreHookContext,
} from './hook.ts'
export { background, defineEval, defineHook } from './hook.ts'
export type { AgentView, HookContext, InputView, Logger, ResultView, SessionInfo, TurnInfo } from './hook-context.ts'
export type { HooksOptions } from './hooks-options.ts'
export type { ImportOptions } from './import-session.ts'
export { importSession } from './import-session.ts'
export type { JsonObject, JsonValue } from './json.ts'
export type { Appended, LogWriter } from './log-writer.ts'
export { createMemoryLog } from './log-writer.ts'
export type { CallView as LoopCallView, LoopHook, LoopHooks, RequestView, TurnEndView } from './loop-hooks.ts'
export { MemoryStore } from './memory-store.ts'
export type {
  AssistantMessage,
  AssistantPart,
  CallToolResult,
  ContentBlock,
  CustomPart,
  FileData,
  FilePart,
  Message,
  ProviderApprovalPart,
  ProviderMetadata,
  ProviderResultPart,
  ReasoningPart,
  SourcePart,
  SyntheticKind,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  ToolStatus,
  UserMessage,
  UserPart,
} from './messages.ts'
export { clientCalls, messageText, resultText } from './messages.ts'
export type {
  CacheMarks,
  Model,
  ModelCapabilities,
  ModelEvent,
  ModelOutput,
  ModelRequest,
  ModelSettings,
  ModelTool,
  ToolChoice,
} from './model.ts'
export type { ModelCallOptions, ModelReply } from './model-step.ts'
export { callModel } from './model-step.ts'
export { openSession } from './open-session.ts'
export type { Awaiting, Decision, EvalResult, HookError, Outcome, PendingRequest, RollbackRecord } from './outcome.ts'
export type { PruneOptions, PruneReport } from './prune-sessions.ts'
export { pruneSessions } from './prune-sessions.ts'
export type { Reconciled, Repair } from './reconcile.ts'
export { reconcileHistory } from './reconcile.ts'
export { EMPTY_SNAPSHOT, reduce } from './reduce.ts'
export type { BrokenCall, RepairedCall, RepairToolCall } from './repair-call.ts'
export type { OutputMode } from './reply-listener.ts'
export {
  AFTER_UNKNOWN_TEXT,
  CANCELLED_TEXT,
  LATE_CANCELLED_TEXT,
  LATE_NOT_RUN_TEXT,
  LATE_UNKNOWN_TEXT,
  NOT_RUN_TEXT,
  REPEATED_TEXT,
  UNKNOWN_TEXT,
} from './result-text.ts'
export type { Blocked, Guarded } from './run-guardrails.ts'
export { runGuardrails } from './run-guardrails.ts'
export type { RunnableAgent } from './runnable-agent.ts'
export type {
  Compactor,
  InstructionsContext,
  OutputHandler,
  RunnerParts,
  TurnBudget,
  TurnSteering,
} from './runner-parts.ts'
export type { AnySchema, Checked, Schema, SchemaOutput } from './schema.ts'
export type { Selection } from './selection.ts'
export { createSelection, shallowEqual } from './selection.ts'
export type {
  EditOptions,
  OpenSessionOptions,
  SendOptions,
  Session,
  SessionHost,
  SessionInput,
} from './session.ts'
export type { SessionChannel, SessionLine } from './session-channel.ts'
export type { ExportOptions, ReplayOptions, SessionFile } from './session-file.ts'
export { replay } from './session-file.ts'
export type { AcquireOptions, Lease, SessionLock } from './session-lock.ts'
export type {
  AppendOptions,
  Claim,
  LastSave,
  OpenReply,
  QueuedInput,
  ReadOptions,
  RewriteOptions,
  SessionHead,
  SessionStore,
  StoreUsage,
} from './session-store.ts'
export type { Activity, CallView, LoggedState, SessionStatus, Snapshot, StorageStatus, TurnView } from './snapshot.ts'
export type { StateDraft } from './state-draft.ts'
export type { StopReason } from './stop-reason.ts'
export type { StructuredOptions, StructuredOutput } from './structured.ts'
export { structured } from './structured.ts'
export type { ApprovalContext, Tool, ToolContext, ToolEffect, ToolHookSet, ToolOptions, ToolSource } from './tool.ts'
export { tool } from './tool.ts'
export type { ToolBatchOptions } from './tool-batch-options.ts'
export type { ToolCacheOptions } from './tool-cache.ts'
export type { NamedToolHook, ToolHook, ToolHookCall, ToolHookFunction, ToolHookOptions } from './tool-hook.ts'
export { defineToolHook } from './tool-hook.ts'
export type { AfterTool, BeforeTool, FinishedToolCall, ToolHooksOptions } from './tool-hooks.ts'
export { toolHooks } from './tool-hooks.ts'
export { isContentBlock } from './tool-result.ts'
export { ToolRunner } from './tool-runner.ts'
export type { TranscriptSource } from './transcript.ts'
export { sourceOf } from './transcript.ts'
export { RetryModel, StopTurn } from './turn-control.ts'
export type { AgentHooks, CallLayer, CallScope, HookSet } from './turn-hooks.ts'
export type { TurnInput } from './turn-input.ts'
export type { RunOrigin, TurnFacts, TurnOptions } from './turn-options.ts'
export type { RejectOn, ResumedTurn, TurnResult } from './turn-result.ts'
export { uncloneablePath } from './uncloneable-path.ts'
export type { Usage } from './usage.ts'
export { addUsage } from './usage.ts'
