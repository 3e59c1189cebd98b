/**
 * Tools of the AI SDK as tools of an agent.
 * @module
 */
export { type AdoptOptions, type AiSdkTool, adoptTools } from './adopt-tools.ts'
