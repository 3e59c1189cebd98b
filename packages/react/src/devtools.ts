'use client'

/**
 * A panel for developers: what a session does, has done, and holds.
 * @module
 */
export type { TurnloopDevtoolsProps } from './devtools/turnloop-devtools.tsx'
export { TurnloopDevtools } from './devtools/turnloop-devtools.tsx'
