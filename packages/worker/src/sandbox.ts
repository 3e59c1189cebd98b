export type { WasmSource } from './quick-js-engine.ts'
export type { QuickJsOptions } from './quick-js-tool.ts'
export { quickJsTool } from './quick-js-tool.ts'
