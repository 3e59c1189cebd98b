/** The least that a page with an agent and a tool brings along: what `check-size` weighs beside whole packages. */
export { createAgent, tool } from '../packages/core/src/index.ts'
