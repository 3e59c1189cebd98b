import { tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { serveTools } from '@turnloop/worker/serve'

serveTools([
  tool({
    name: 'echo',
    description: 'Gives back what it is given.',
    input: jsonSchema({ type: 'object' }),
    effect: 'read',
    execute: (input) => input,
  }),
])
