/**
 * Where a result keeps what its tool really returned, when the model is shown something else: in its `_meta`, which no model
 * reads.
 */
export const RAW_OUTPUT = 'ai-sdk/output'
