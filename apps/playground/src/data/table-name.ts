/**
 * The SQL name of a table that comes from a file: small letters, digits and `_`, at most 40, never a word of SQL.
 *
 * `"Sales 2024 (final).csv"` gives `sales_2024_final`.
 */
export function tableName(fileName: string): string {
  const slug = stem(fileName)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40)
  if (slug === '') return 'data'
  if (/^\d|^sqlite_/.test(slug)) return `t_${slug}`
  return SQL_WORDS.has(slug) ? `${slug}_table` : slug
}

/** What people see: the file's name without its ending. */
export function tableLabel(fileName: string): string {
  return stem(fileName).trim() || fileName
}

function stem(fileName: string): string {
  return fileName.replace(/\.(csv|tsv|tab|txt|json|jsonl|ndjson)$/i, '')
}

/** Words that a model would have to quote as a table's name, and would not. */
const SQL_WORDS: ReadonlySet<string> = new Set(
  (
    'add all alter and as asc between by case check column commit create cross default delete desc distinct drop each ' +
    'else end except exists filter for foreign from full group having if in index inner insert intersect into is join ' +
    'key left like limit match natural not null of offset on or order outer over partition plan primary query range ' +
    'references replace right row rows select set table temp then to transaction trigger union unique update using ' +
    'vacuum values view when where window with'
  ).split(' '),
)
