export { type AiSdkModelOptions, aiSdkModel } from './ai-sdk-model.ts'
export { browserFetch } from './browser-fetch.ts'
export type { LanguageModel } from './spec-versions.ts'
