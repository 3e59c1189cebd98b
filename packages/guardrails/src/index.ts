/**
 * Guardrails for Turnloop.
 * @module
 */
export type { GuardrailSettings } from './guardrail-settings.ts'
export type { PhraseLanguage } from './injection/languages.ts'
export type { PromptInjectionOptions } from './injection/prompt-injection.ts'
export { promptInjection } from './injection/prompt-injection.ts'
export type { Judgement, JudgeOptions } from './judge.ts'
export { judge } from './judge.ts'
export type { LengthOptions } from './length.ts'
export { length } from './length.ts'
export type { ModerationOptions, ModerationVerdict } from './moderation.ts'
export { moderation } from './moderation.ts'
export type { PiiKind } from './pii/find-pii.ts'
export type { PiiOptions } from './pii/pii.ts'
export { holdLength, pii } from './pii/pii.ts'
export type { TopicOptions } from './topic.ts'
export { topic } from './topic.ts'
