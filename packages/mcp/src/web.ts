/**
 * The page's tools for the agent of the browser, and those that the page has registered for the loop: WebMCP.
 * @module
 */
export type { ExposeOptions } from './expose-tools.ts'
export { exposeTools } from './expose-tools.ts'
export type { DecideCall } from './one-call.ts'
export type { PageToolsOptions } from './page-tools.ts'
export { pageTools } from './page-tools.ts'
export type { LeftOutTool, McpToolDetails, McpToolSettings } from './remote-tool.ts'
export { SOURCE_KEY, UNTRUSTED_KEY } from './untrusted.ts'
export type { WebMcpHints, WebMcpListedTool, WebMcpRegistry, WebMcpTool } from './web-mcp.ts'
export { webMcpRegistry } from './web-mcp.ts'
