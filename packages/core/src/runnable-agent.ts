/** The part of an agent that a hook or a guardrail can run. */
export interface RunnableAgent<Output = unknown> {
  readonly name: string
  // What goes in, and what comes back, is for whoever runs it: this says only that it can be run.
  turn(
    input: never,
    options: { signal: AbortSignal; depth: number; onEvent(event: never): void },
  ): { untilDone(): Promise<unknown> }
  readonly types?: { readonly output: Output }
}
