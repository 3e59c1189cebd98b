import { configure } from 'vitest-browser-react/pure'

// In every test, whoever wrote it: components are mounted twice, effects run twice, renders are repeated.
configure({ reactStrictMode: true })

export { render, renderHook } from 'vitest-browser-react'

/** How often a component's function is called for one render: StrictMode repeats each. */
export const STRICT_CALLS = 2
