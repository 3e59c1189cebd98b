import type { JsonObject } from './json.ts'
import type { StateLook } from './state-draft.ts'
import type { SettledCall } from './tool-call.ts'
import { toErrorResult } from './tool-result.ts'

/** What a call changed of the state, where it came to an end of its own. With what cannot be stored, it has failed. */
export async function takePatch<End extends Pick<SettledCall, 'status' | 'result'>>(
  end: End,
  look: StateLook | undefined,
  maxBytes: number,
): Promise<{ readonly end: End; readonly patch?: JsonObject }> {
  if (end.status !== 'ok' && end.status !== 'error') return { end }
  try {
    const patch = look?.takePatch()
    return patch === undefined ? { end } : { end, patch }
  } catch (error) {
    return { end: { ...end, status: 'error', result: await toErrorResult(error, maxBytes) } }
  }
}
