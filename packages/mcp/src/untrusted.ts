/** In `_meta` of every result of a server: what is in it was written by somebody else, and is no instruction. */
export const UNTRUSTED_KEY = 'turnloop/untrusted'
/** In `_meta` of every result of a server: `{ server, tool }`, the server's own name for the tool. */
export const SOURCE_KEY = 'turnloop/mcp'
