/// <reference types="node" />
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isTurnloopError } from '@turnloop/core'
import { expect } from 'vitest'
import { type QuickJsOptions, quickJsTool } from '../src/quick-js-tool.ts'
import { callContext } from './call-context.ts'

/** The engine, compiled. */
export const wasm: WebAssembly.Module = await WebAssembly.compile(
  await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')),
)

/** Run a piece of code as the tool does. */
export async function run(code: string, options: Partial<QuickJsOptions> = {}): Promise<unknown> {
  const sandbox = quickJsTool({ wasm, ...options })
  const checked = await sandbox.check({ code })
  if (!checked.ok) throw new Error(checked.problems.join())
  return sandbox.execute(checked.value, callContext())
}

/** What a piece of code comes to; fails for code that throws. */
export async function resultOf(code: string): Promise<unknown> {
  const result = await run(code)
  expect(result).toHaveProperty('value')
  // Just seen.
  return (result as { value: unknown }).value
}

/** What the model reads of code that fails. */
export async function failureOf(code: string, options: Partial<QuickJsOptions> = {}): Promise<Failure> {
  const error = await run(code, options).then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!isTurnloopError(error)) throw error
  return { code: error.code, message: error.message, facts: error.facts }
}

/** What is looked at of an error. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly facts: object
}
