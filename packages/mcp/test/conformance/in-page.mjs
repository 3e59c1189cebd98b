// Run by the conformance suite in the place of a client: has the scenario done by a page, and ends as that ended.
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const body = new URLSearchParams({ url: process.argv.at(-1) ?? '', scenario, context })
const response = await fetch(process.env.TURNLOOP_PAGE_HOST ?? '', { method: 'POST', body })
const outcome = await response.text()
console.log(outcome)
process.exitCode = outcome === 'done' ? 0 : 1
