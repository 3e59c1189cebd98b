export type { HostPort, HostSessionOptions } from './host-session.ts'
export { hostSession } from './host-session.ts'
