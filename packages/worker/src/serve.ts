export type { ServeOptions, ServePort } from './serve-tools.ts'
export { serveTools } from './serve-tools.ts'
export { transfer } from './transfer.ts'
