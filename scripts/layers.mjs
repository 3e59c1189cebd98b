/**
 * The layers inside core, from the top down. A file may import files of its own layer and of those below.
 *
 * Every file of packages/core/src has its place here; a new one is refused until it is given one.
 *
 * @type {readonly (readonly string[])[]}
 */
export const CORE_LAYERS = [
  ['index', 'trace'],
  ['agent-tool'],
  [
    'open-session',
    'session',
    'session-driver',
    'session-runs',
    'session-compaction',
    'session-decisions',
    'agent',
    'agent-options',
  ],
  ['tool-runner', 'drive-turn'],
  ['turn-batch', 'turn-reply', 'turn-end', 'turn-host'],
  ['live-turn', 'structured', 'auto-compaction', 'turn-compaction', 'compaction'],
  ['runner-parts', 'running-turn'],
  ['ask-model', 'model-step', 'tool-batch', 'session-storage'],
  [
    'approvals',
    'call-queue',
    'tool-call',
    'repair-call',
    'tool-plan',
    'tool-result',
    'reply-builder',
    'session-log',
    'session-head',
    'session-view',
  ],
  [
    'reduce',
    'snapshot',
    'pending-requests',
    'transcript',
    'reconcile',
    'distinct-calls',
    'plainly-sound',
    'sound-history',
    'decide',
    'turn-fold',
    'event-queue',
    'session-queue',
    'session-errors',
    'storage-trouble',
    'compaction-plan',
    'summary-request',
    'answer-tool',
    'output-text',
    'repeat-guard',
    'trace-turns',
    'trace-attributes',
    'trace-span',
    'token-estimate',
  ],
  ['model', 'tool', 'tool-source', 'session-store', 'memory-store'],
  [
    'log-writer',
    'entries',
    'events',
    'messages',
    'outcome',
    'stop-reason',
    'usage',
    'result-text',
    'turn-input',
    'turn-result',
    'turn-options',
  ],
  [
    'errors',
    'abort',
    'chained-iterator',
    'check-options',
    'guardrail',
    'clock',
    'subscribers',
    'selection',
    'schema',
    'json-schema',
    'json',
    'plain-json',
    'layered-map',
    'growth',
    'save-waiters',
    'retry-pause',
    'mend-value',
    'merge-patch',
    'read-json',
    'partial-json',
    'embedded-json',
    'stored-turns',
    'yield-to-host',
  ],
]

/**
 * The only packages that core's sources may import, and the one file that may; `*` is any file.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const CORE_PACKAGES = { '@standard-schema/spec': '*', '@cfworker/json-schema': 'json-schema' }
