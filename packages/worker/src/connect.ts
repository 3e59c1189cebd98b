export type { ConnectedHost, ConnectSessionOptions } from './connect-session.ts'
export { connectSession } from './connect-session.ts'
export type { DedicatedHost, SharedHost } from './host-link.ts'
export { WorkerError } from './worker-error.ts'
