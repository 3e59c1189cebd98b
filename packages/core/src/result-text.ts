import { INTERRUPTED, TurnTimeLimit } from './abort.ts'
import type { CallToolResult } from './messages.ts'

/** A result of one text block. */
export function textResult(text: string, isError = false): CallToolResult {
  return isError ? { content: [{ type: 'text', text }], isError: true } : { content: [{ type: 'text', text }] }
}

/** What the model reads of a call that had not started when the user stopped. */
export const NOT_RUN_TEXT = 'The user stopped the turn before this call started. It was not run.'

/** What the model reads of a call that stopped within its grace time. */
export const CANCELLED_TEXT = 'The user interrupted this call. It stopped.'

/** What the model reads of a call that was given up after the user stopped. */
export const UNKNOWN_TEXT = 'The user interrupted this call. It may or may not have taken effect.'

/** What the model reads of a call that had not started when the turn ran out of time. */
export const LATE_NOT_RUN_TEXT = 'The turn reached its time limit before this call started. It was not run.'

/** What the model reads of a call that stopped within its grace time after the turn ran out of time. */
export const LATE_CANCELLED_TEXT = 'The turn reached its time limit during this call. It stopped.'

/** What the model reads of a call that was given up after the turn ran out of time. */
export const LATE_UNKNOWN_TEXT =
  'The turn reached its time limit during this call. It may or may not have taken effect.'

/** What the model reads of a call that was running when the page went away. */
export const LOST_TEXT =
  'The page went away while this call was running. It may or may not have taken effect, and it was not run again.'

/** What the model reads of a call that had not started when the page went away and the turn was not resumed. */
const INTERRUPTED_TEXT = 'The turn was interrupted before this call started. It was not run.'

/** What the model reads of a call whose start could not be written down, so that it was not safe to start it. */
export const UNRECORDED_TEXT = 'This call was not run: its start could not be recorded, and it may have side effects.'

/** What the model reads of a call after one that named no tool, where the batch stops there. */
export const AFTER_UNKNOWN_TEXT =
  'This call was not run: an earlier call of the same reply named a tool that does not exist.'

/** What the model reads of a call that would only bring the same result once more. */
export const REPEATED_TEXT: string =
  'This call was not run: the same call with the same arguments has brought the same result every time. ' +
  'Do something else, or answer with what you have.'

/** What the model reads of a call in a reply that the output limit cut. */
export const LENGTH_CUT_TEXT =
  'The output limit cut this reply off, so the call was not run. Send a shorter call, or split the work into several.'

/** What the model reads of a call in a reply that a content filter stopped. */
export const FILTERED_TEXT = 'A content filter stopped this reply, so the call was not run.'

/** What the model reads of a call in a reply that broke off. */
export const CUT_TEXT = 'The reply that made this call broke off before its end, so the call was not run.'

/** What the model reads of a call that comes although tools are off: with a structured or a last answer. */
export const TOOLS_OFF_TEXT = 'Tools are off for this answer, so the call was not run.'

/** What stands in a healed history for a call whose result is gone and that may have run. */
export const HEALED_UNKNOWN_TEXT = 'The result of this call was lost. It may or may not have taken effect.'

/** What stands in a healed history for a call that never ran. */
export const HEALED_NOT_RUN_TEXT = 'This call was not run.'

/** What the model reads of the calls of a batch that was stopped, by why it was. */
export interface StopTexts {
  readonly notRun: string
  readonly cancelled: string
  readonly inDoubt: string
}

const BY_USER: StopTexts = { notRun: NOT_RUN_TEXT, cancelled: CANCELLED_TEXT, inDoubt: UNKNOWN_TEXT }
const BY_TIME: StopTexts = { notRun: LATE_NOT_RUN_TEXT, cancelled: LATE_CANCELLED_TEXT, inDoubt: LATE_UNKNOWN_TEXT }
const BY_CRASH: StopTexts = { notRun: INTERRUPTED_TEXT, cancelled: LOST_TEXT, inDoubt: LOST_TEXT }

/** The texts for a turn's abort reason. Only where a person stopped it do they say so. */
export function stopTexts(reason: unknown): StopTexts {
  if (reason === INTERRUPTED) return BY_CRASH
  return reason instanceof TurnTimeLimit ? BY_TIME : BY_USER
}

/** What a call is answered that did not start because a hook had ended the turn. */
export const ENDED_TEXT = 'This call was not run: the turn was ended before it.'

/** What a call is answered where a hook sent its reply back to the model. */
export const SENT_BACK_TEXT = 'This call was not run: the reply was sent back.'
