/** What becomes of a file: a table, a part of the question, or nothing. */
export type FileKind = 'table' | 'image' | 'pdf' | 'text' | 'unreadable'

/** The kinds of files that can be tables, for the file dialog. */
export const TABLE_FILES =
  '.csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,text/csv,text/tab-separated-values,application/json'

/** Every kind that can be added, for the file dialog. */
export const ALL_FILES = `${TABLE_FILES},image/png,image/jpeg,image/webp,image/gif,application/pdf,text/*,.md,.markdown,.log`

/** What fits, in words. */
export const FITTING_KINDS =
  'PNG, JPEG, WebP and GIF images, PDF and text files can be attached; CSV, TSV and JSON become tables'

/** Spreadsheets are among the tables: reading one says how to make it one. */
const KIND_BY_ENDING: readonly (readonly [endings: RegExp, kind: FileKind])[] = [
  [/\.(csv|tsv|tab|json|jsonl|ndjson|xls|xlsx|ods|numbers)$/i, 'table'],
  [/\.(png|jpe?g|webp|gif)$/i, 'image'],
  [/\.pdf$/i, 'pdf'],
  [
    /\.(heic|heif|tiff?|svg|psd|raw|docx?|odt|rtf|pptx?|odp|epub|pages|key|zip|gz|7z|rar|mp[34]|mov|wav|exe|dmg)$/i,
    'unreadable',
  ],
]

const KIND_BY_TYPE: readonly (readonly [types: RegExp, kind: FileKind])[] = [
  [/^(text\/(csv|tab-separated-values)|application\/(x-ndjson|json))$/, 'table'],
  [/^image\/(png|jpeg|webp|gif)$/, 'image'],
  [/^application\/pdf$/, 'pdf'],
  [/^(image|audio|video|font)\//, 'unreadable'],
]

/**
 * What becomes of a file, by the ending of its name, else by its type.
 *
 * What neither tells is `'text'`: whether it is any shows when it is read.
 */
export function fileKind({ name, type }: Pick<File, 'name' | 'type'>): FileKind {
  const byEnding = KIND_BY_ENDING.find(([endings]) => endings.test(name))
  return (byEnding ?? KIND_BY_TYPE.find(([types]) => types.test(type)))?.[1] ?? 'text'
}

const LOOKED_AT_LINES = 20

/** Whether the beginning of a text is that of a table: every line has the same number of tabs. */
export function looksTabular(text: string): boolean {
  const lines = text.split(/\r?\n/).slice(0, -1)
  const tabs = lines.slice(0, LOOKED_AT_LINES).map((line) => line.split('\t').length - 1)
  return tabs.length > 1 && tabs[0] !== 0 && tabs.every((count) => count === tabs[0])
}
