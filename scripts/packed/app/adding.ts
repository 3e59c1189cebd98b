import { tool } from '@turnloop/core'
import { serveTools } from '@turnloop/worker/serve'
import { z } from 'zod'

const input = z.object({ a: z.number(), b: z.number() })

serveTools([
  tool({ name: 'add', description: 'Adds two numbers', input, effect: 'read', execute: ({ a, b }) => `${a + b}` }),
])
