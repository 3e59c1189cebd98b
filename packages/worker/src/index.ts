export { WorkerError } from './worker-error.ts'
export type { ToolWorker } from './worker-link.ts'
export type { WorkerToolSource, WorkerToolsOptions } from './worker-tools.ts'
export { workerTools } from './worker-tools.ts'
