import type { Model, ModelEvent, ModelRequest } from '@turnloop/core'

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal

/** All events of one reply. */
export async function collect(model: Model, asked: ModelRequest, signal: AbortSignal = never): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(asked, { signal })) events.push(event)
  return events
}

/** The events of one type. */
export function ofType<Type extends ModelEvent['type']>(
  events: readonly ModelEvent[],
  type: Type,
): Extract<ModelEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type)
}

/** The text of a reply. */
export function textOf(events: readonly ModelEvent[]): string {
  return ofType(events, 'text-delta')
    .map(({ delta }) => delta)
    .join('')
}

/** What a promise rejects with; throws if it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It did not reject.')
    },
    (error: unknown) => error,
  )
}
