/**
 * Tools of MCP servers for Turnloop.
 * @module
 */
export type {
  McpCall,
  McpClientLike,
  McpPlainClient,
  McpProgress,
  McpRequest,
  McpRequestOptions,
  McpSdkClient,
} from './client-like.ts'
export type {
  McpElicitation,
  McpElicitationAnswer,
  McpPageHandlers,
  McpSampling,
  McpSamplingAnswer,
} from './elicitation.ts'
export type { Fetch } from './fetch.ts'
export type { McpAuth, ServerAuth } from './mcp-auth.ts'
export type { McpFailureReason } from './mcp-error.ts'
export type { McpTarget, McpToolsOptions } from './mcp-options.ts'
export type { McpState } from './mcp-state.ts'
export type { McpToolSource } from './mcp-tools.ts'
export { mcpTools } from './mcp-tools.ts'
export type { OAuthOptions, SignInWindow } from './oauth-options.ts'
export { oauthProvider } from './oauth-provider.ts'
export type { McpClientTarget } from './open-client.ts'
export type { LeftOutTool, McpToolDetails, McpToolSettings } from './remote-tool.ts'
export type { FinishedSignIn, SignInFlow } from './sign-in-answer.ts'
export { finishSignIn } from './sign-in-answer.ts'
export type { TokenVault } from './token-vault.ts'
export { memoryVault, storageVault } from './token-vault.ts'
export { SOURCE_KEY, UNTRUSTED_KEY } from './untrusted.ts'
