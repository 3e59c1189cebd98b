/** Why a file could not be attached. The message is for people: which file, what is wrong, what fits instead. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError'
}
