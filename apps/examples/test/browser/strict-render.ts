import { configure } from 'vitest-browser-react/pure'

// In every test, whoever wrote it: components are mounted twice, effects run twice, renders are repeated.
configure({ reactStrictMode: true })

export { render } from 'vitest-browser-react'
