import Braces from 'lucide-react/icons/braces'
import Calculator from 'lucide-react/icons/calculator'
import ChartColumn from 'lucide-react/icons/chart-column'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Database from 'lucide-react/icons/database'
import FileDown from 'lucide-react/icons/file-down'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Search from 'lucide-react/icons/search'
import TableProperties from 'lucide-react/icons/table-properties'
import Timer from 'lucide-react/icons/timer'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UserRoundSearch from 'lucide-react/icons/user-round-search'
import Wrench from 'lucide-react/icons/wrench'
import type { ReactElement } from 'react'

const ICONS: Readonly<Record<string, typeof Wrench>> = {
  describe_table: TableProperties,
  query_table: Database,
  draw_chart: ChartColumn,
  calculate: Calculator,
  slow_count: Timer,
  fail_on_purpose: TriangleAlert,
  save_note: NotebookPen,
  find_notes: Search,
  export_table: FileDown,
  ask_user: CircleQuestionMark,
  run_javascript: Braces,
  ask_analyst: UserRoundSearch,
}

/** The sign of a tool. */
export function ToolIcon({ toolName }: { toolName: string }): ReactElement {
  const Icon = ICONS[toolName] ?? Wrench
  return <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
}
